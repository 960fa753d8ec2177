"""Who is spoken of, who speaks, and who a rule is for."""

from __future__ import annotations

SPEAKERS = {
    "i": """
        i i'm im i'd i'll i've ive ich je j'ai j'aime j'utilise j'habite j'apprends yo soy
        estoy tengo vivo trabajo sou moro eu tenho trabalho sono lavoro ik vengo uso suis
        sitze arbeite vis travaille i'ma imma speaking_as nosotros_no je_n'ai ich_bin
        ich_habe j'étudie j'enseigne hago escribo leo prefiero_yo uso_o programo aprendo
        estudio estudo nací nasci ik_ben
    """,
    "me": """
        me myself mir mich moi mí mim demander_moi for_me to_me by_me
    """,
    "my": """
        my mine mein meine meinem meinen meiner mon mes mi mis meu meus minha minhas mio mia
        mijn
    """,
    "private": """
        personal private own myself dotfiles bookmarks bookmarked diary scratch mine privat
        privates persönlich personnel personales pessoal of_mine my_own privately
        private_repo own_notes for_myself my_notes my_private journal sketchbook notebook
        my_gist my_gists side_project hobby_project eigene eigenen eigener privaten
        mes_notes mis_notas minhas_notas propio propia próprio própria pessoais
    """,
    "you": """
        you your you're youre you've you'd you'll yourself yours u ur du dir dich dein deine
        deinem tu te toi ton tes vous tus você
    """,
    "user": """
        user user's person_you're_talking_to nutzer benutzer nutzerin l'utilisateur
        l'utilisatrice usuario usuaria usuário
    """,
    "he": """
        he she he's she's his her him they they've
    """,
    "we": """
        we we're we've we'd we'll our ours us ourselves wir uns unser unsere unserem nous
        notre nos nosotros nuestro nuestra nós nosso nossa
    """,
    "agent": """
        agent agents assistant ai bot bots claude copilot qwen llm agenten l'agent
        l'assistant agente assistente asistente
    """,
    "everyone": """
        everyone everybody nobody no-one no_one anyone anybody contributors contributor
        maintainers developers devs engineers reviewers colleagues members alike whole_team
        entire_team all_of_us none_of_us whoever people_here the_team the_lab the_group
        whole_group whole_company no_matter_who team-wide company-wide project-wide teamwide
        goes_for_all applies_to_all both_write all_agreed alle_im jeder niemand das_team
        das_ganze_team tout_le_monde personne toute_l'équipe l'équipe todos nadie
        todo_el_equipo el_equipo ninguém a_equipe toda_a_equipe entire_company
        whole_department all_developers all_contributors all_agents every_contributor
        every_developer anyone_who each_of_us we_all the_team_agreed all_hands
        none_of_the_devs people_and_bots humans_and_bots bots_too you_included you_too
        includes_you including_you includes_agents nor_should_you same_for_everyone
        same_goes_for across_the_team across_teams team's everyone's teammates coworkers
        co-authors students_and staff committers wir_alle alle_entwickler jeder_im kollegen
        niemand_im chacun tous_les l'ensemble_de cada_uno cualquiera todos_los_que equipo
        equipe
    """,
    "shared": """
        this_project this_repo this_repository this_codebase this_monorepo this_code_base
        this_workspace our_repo our_codebase our_project our_team our_convention our_rule
        our_house in_the_repo for_the_team on_the_team repo-wide diesem_projekt diesem_repo
        ce_projet ce_dépôt este_proyecto este_repo neste_projeto este_projeto
        this_codebase's in_our_repo in_our_project in_our_code our_code our_commits
        our_branches our_tests our_docs our_prs our_reports our_style in_this_paper
        in_this_game in_this_app in_this_course the_whole_game whole_project whole_repo
        entire_repo entire_codebase project_rule repo_rule team_rule lab_rule
        unserem_projekt unserem_repo im_projekt notre_projet dans_le_projet nuestro_proyecto
        nosso_projeto no_projeto en_el_proyecto
    """,
    "rule": """
        rule rules convention conventions policy policies guideline guidelines standard
        agreed agreement house_style norm mandated house_rule rule: règle regla regra regel
        konvention konventionen convención convenção vereinbart abgemacht habit_here
        practice_here code_of_conduct consensus unanimously
    """,
}
