"""Where something is found, and whom to ask."""

from __future__ import annotations

PLACES = {
    "located": """
        lives live sits kept stored found located hosted published posted listed archived
        documented described tracked available linked pinned collected maintained filed
        reported announced saved recorded written_up looked_up defined hangs lies shown
        shows show goes_to go_to can_be_found can_be_had downloadable covered explained
        specified bookmarked keep keeps reachable holds lists contains has_all liegt liegen
        steht stehen findet_sich finden_sich dokumentiert trouve trouvent se_trouve
        se_trouvent encuentra encuentran se_encuentra guardados guardado está_en están_en
        ficam_em fica_em está_no estão_no gespeichert rangé rangés resides reside housed
        parked mounted uploaded checked_in stashed stuffed lying hangs_on sits_in deposited
        shared_via shared_in exported registered noted noted_down written_down tracked_in
        filed_under goes_in go_in go_under lands land happens discussed raised logged
        monitored accessible viewable browsable downloaded obtained available_from
        available_at available_on can_be_seen is_at are_at is_under are_under is_on are_on
        is_in are_in comes_with found_in taken_from pinned_in linked_from come_from abgelegt
        hinterlegt befindet befinden gepflegt verlinkt hängt zu_finden veröffentlicht stocké
        stockés stockées disponible disponibles consultable hébergé décrit décrite publié
        publiés documenté alojado alojada publicado publicados publicada disponível
        disponíveis hospedado guardada guardadas armazenado documentado documentada
        documentados descrito encontra encontram encontra-se localizado fica_na está_na
        estão_na estan
    """,
    "ask": """
        ask contact ping message reach reach_out talk_to talk speak_to email mail call
        write_to dm questions question trouble problems issues requests escalate escalations
        complaints help owns knows ask_for one_to_ask person_to go-to point_of_contact
        hands_out has_the_keys responsible in_charge bugs access answers_questions
        ansprechpartner ansprechpartnerin fragen fragen_zu wende contacter contactez
        demander s'adresser contactar contacta pregunta_a preguntar falar_com perguntar
        acesso l'accès write_an_email turn_to go_to_person first_port liaison approves
        approve signs_off sign-off supports phone_number extension drop_a_line knock
        expert_on expert_for the_person_for the_one_for the_one_who knows_the knows_about
        who_knows maintains_the handles looks_after takes_care runs_the in_doubt stuck
        has_the admin_of admin_rights administers grants gives_access access_to access_via
        permission permissions support_for hotline helpdesk help_desk enquiries inquiries
        feedback_on bug_reports reports_go security_issues vulnerabilities zuständig
        verantwortlich zugang zugriff wendet kontakt melden anfragen_an hilft responsable
        référent interlocuteur accès responsável dúvidas dudas preguntas contacto contato
        encargado encargada acceso falar habla_con fala_com fale_com hable_con
    """,
    "see": """
        see check consult refer visit look_at look_in read_the start_with check_out
        go_through siehe voir ver veja consulta consultar consulte read look look_up browse
        start_from start_at search_in search_on watch lookup compare_with cf cf.
        as_described_in described_in according_to further_reading background: details_in
        details: details_at more_at more_in more_on steht_in nachlesen lire cf_la véase
        consulte_o consulta_el
    """,
    "resource": """
        dashboard dashboards runbook runbooks playbook wiki drive spreadsheet sheet channel
        docs documentation doc handbook manual guide style_guide spec specs specification
        rfc adr post-mortem postmortem diagram diagrams board boards tracker tutorial
        tutorials cheatsheet cheat_sheet changelog glossary faq intranet portal registry
        mockups roadmap calendar list backlog newsletter readme paper article recordings
        notes mailing_list archive folder directory page pages file files space group forum
        thread link links site website document documents pdf book chapter table_of appendix
        template templates snippets repo repository bucket vault catalog library collection
        slides deck course datasheet errata office ext phone room view tab section
        figma_file checklist schedule rota inventory list_of map original source sources
        assets backup backups copy tickets reports reference help_pages handbuch ordner
        seite unterlagen notizen logs tableau dossier manuel tablero documentación carpeta
        painéis pasta documentação planilha glossaire données terminología anleitung
    """,
    "tool": """
        confluence notion jira linear trello asana youtrack bugzilla sharepoint google_drive
        gdrive google_docs google_doc google_sheet google_sheets figma miro sentry grafana
        kibana datadog splunk pagerduty opsgenie slack discord mattermost zulip teams
        1password bitwarden looker metabase tableau artifactory airtable zendesk dropbox
        onedrive nextcloud loom honeycomb testrail zeplin moodle overleaf zotero mendeley
        obsidian evernote onenote goodnotes things todoist icloud plausible pganalyze
        storybook nexus jenkins gist github_wiki youtube soundcloud readthedocs zenodo
        kaggle mlflow wandb backstage productboard lokalise weblate crowdin transifex
        miroboard basecamp clickup monday.com postman swagger rundeck newrelic new_relic
        logseq pinboard raindrop keepass nas telegram whatsapp matrix irc stackoverflow
        adobe anki behance bettercloud bitbucket blackboard browserstack buildkite calibre
        canva canvas circle cloudwatch coda codeberg codesandbox collaborate craft
        crashlytics deepl docusaurus doodle draw.io drawio dribbble edstem elabftw etherpad
        excalidraw fastmail feishu feedly firebase flickr freshdesk front fritzbox gerrit
        ghcr gitbook gitea goodreads google hackernews harbor harvest hedgedoc heroku
        hubspot huggingface imgur incident.io instapaper intercom itch itch.io ilias jfrog
        joplin kahoot klaviyo lark lastpass launchpad linkedin lucidchart mailchimp mastodon
        memrise mixpanel moco monday moneybird msteams mural navision ncbi netsuite nuget
        observable onshape opensea openproject osf outlook paperless patreon perforce
        personio phabricator photoprism phrase plane planner pocket posthog powerbi pypi
        quay quip raindrop.io redash redmine roam rocketchat rocket.chat salesforce sap
        semaphore servicenow shortcut sketch sketchfab smartsheet snyk sourceforge
        sourcegraph sourcehut steamworks superset supernotes synology taiga taskwarrior
        teamcity teamwork testlink textbase threema tiktok toggl travis trilium twitch twist
        typeform uptimerobot victorops vimeo webex wechat wekan workday workflowy xray
        yammer zenhub zoho 飞书 语雀 钉钉
    """,
}
