"""What people say of themselves: trade, skill, life, tools of their own."""

from __future__ import annotations

PEOPLE = {
    "job": """
        engineer engineers developer designer manager architect scientist analyst researcher
        student consultant founder cto ceo administrator admin sysadmin writer tester
        hobbyist programmer teacher contractor maintainer director lead intern freelancer
        sre dba lawyer doctor nurse physicist mathematician chemist biologist
        bioinformatician journalist accountant bookkeeper electrician pensioner retiree
        musician artist postdoc professor phd pupil trainee apprentice guy person gal dev qa
        devops appsec pentester librarian economist statistician translator sound_designer
        gamedev technician mechanic farmer photographer solo indie co-founder owner_of ex
        former retired senior junior principal staff_engineer newbie noob beginner amateur
        owl entwickler entwicklerin lehrer lehrerin ingenieur ingenieurin studentin
        elektrotechniker informatiker développeur développeuse ingénieur traducteur
        traductrice professeur étudiant étudiante desarrollador desarrolladora ingeniero
        diseñadora diseñador estudiante profesora traductora desenvolvedor desenvolvedora
        analista engenheiro professora tradutor tradutora estudante enfermeira médico
        backend-entwicklerin rechtsanwältin animator astronomer author barista biotech
        broker builder cartographer chef cfo coach coder composer copywriter curator cyclist
        dentist educator entrepreneur epidemiologist estimator full-stack fullstack gardener
        geologist geophysicist graduate hacker historian hr illustrator instructor
        interpreter investigator landlord lecturer linguist localizer logistics machinist
        marketer marketing meteorologist modder moderator neuroscientist novelist operator
        optician paralegal pharmacist pilot planner planter plumber pm po poet policeman
        producer psychologist publisher quant radiologist recruiter reporter reservist sales
        salesperson secretary self-employed seo soldier sommelier streamer surgeon surveyor
        theorist therapist tinkerer trader trainer undergrad undergraduate ux vet veteran
        volunteer webmaster woodworker entwickle arzt ärztin buchhalter buchhalterin
        gestalterin gestalter übersetzer übersetzerin rentner mathematiker physiker
        physikerin wissenschaftler wissenschaftlerin grafikerin grafiker doktorand
        doktorandin schüler schülerin chercheur chercheuse doctorant doctorante graphiste
        enseignant enseignante infirmière infirmier comptable médecin retraité architecte
        avocat avocate contable enfermera enfermero abogado abogada médica ingeniera
        investigador investigadora doctorando doctoranda jubilado jubilada arquitecto
        arquitecta programador programadora contador contadora advogado advogada arquiteto
        arquiteta aposentado aposentada pesquisador pesquisadora doutorando doutoranda
    """,
    "skill": """
        experience experienced years decade decades fluent new_to know knows learned
        learning learnt self-taught background degree expert comfortable familiar unfamiliar
        rusty novice never_used never_touched never_written never_held first_time understand
        understands clue no_clue no_idea certified proficient skilled good_at bad_at basics
        second_nature grew_up grew came_from come_from coming_from career studied study
        studying master's bachelor's trained zero little inside_out can_read can_write
        barely write_code writes_code knowledge expertise from_scratch day_job by_heart
        out_of_my_depth years_of specialise specialised confident strong weak struggle
        struggles erfahrung kenne kenne_mich lerne anfänger jahre jahren connais débute
        débutant apprends expérience conozco aprendiendo experiencia principiante sé años
        sei aprendendo experiência conheço anos
    """,
    "life": """
        kids children wife husband family home evenings mornings evening night nights
        weekends hobby fun colour-blind color-blind colourblind colorblind blind deaf
        dyslexic dyslexia adhd autistic eyesight eyes hearing hands wrists rsi left-handed
        right-handed timezone time_zone utc native language mother_tongue first_language
        accent born age years_old pronouns she/her he/him they/them part-time parental_leave
        commute remote remotely live_in living_in based_in based living name_is called_me
        nickname morning screen_reader vegetarian coffee insomnia pregnant job hours handle
        married moved_to wohne meistens abends habite soir vivo_en mañanas noches moro_em
        noite casa langue adhd_brain afternoon afternoons allergic anxiety arthritis asleep
        astigmatism autism bad_eyes bedtime bike birthday bus cat cats childcare church city
        clock concentration concussion country daughter day_off days_off deafness diabetic
        disabled disability dog dogs dyscalculia early_bird early_riser epilepsy
        exchange_year father flat friends gym half_days hard_of_hearing headaches headphones
        hobbyist hobbies house interpreter_for introvert jet_lag lefty live_with lives_with
        lunch maternity_leave migraines military mobility mom mother mum my_age my_time
        my_wife my_name my_job my_english my_family my_hands my_eyes neighbour
        neurodivergent newborn night_shift night_shifts night_owl nocturnal office_hours
        on_the_train only_on_weekends parent parents partner paternity_leave pain place
        retire retires retirement schedule school_run shift_work shifts siesta single_parent
        sleep sober son spoken stutter sundays sunday_evenings tired toddler town train_ride
        travel travelling traveling tremor twins uni university vacation village vision
        visually_impaired voice_control walk wheelchair work_from working_from works_from
        abend abends_nach kinder frau mann wohne_in freizeit hobby_mäßig nachts farbenblind
        legastheniker schwerhörig muttersprache feierabend rente teilzeit enfants habite_à
        daltonien daltonienne dyslexique malentendant nuit matin langue_maternelle retraite
        weekend_seulement hijos daltónico daltónica disléxico disléxica noche tarde
        lengua_materna zona_horaria jubilación filhos daltônico daltônica disléxico_e manhã
        tarde_da língua_materna fuso_horário aposentadoria sul norte
    """,
    "people": """
        british german french spanish finnish dutch polish italian portuguese brazilian
        indian chinese japanese korean swedish norwegian danish american canadian irish
        scottish australian mexican russian ukrainian turkish greek czech hungarian english
        arabic hindi african argentine argentinian asian austrian bangladeshi belgian
        bengali bulgarian cantonese catalan chilean colombian croatian dane deutsch egyptian
        estonian european filipino finn german-speaking hebrew icelandic indonesian iranian
        israeli kenyan latvian lithuanian malay mandarin moroccan nepali nigerian pakistani
        persian peruvian punjabi romanian scandinavian scot serbian singaporean slovak
        slovene spaniard swahili swede swiss tamil taiwanese telugu thai urdu uruguayan
        vietnamese welsh berlin london paris lisbon madrid vienna munich toronto tokyo
        sydney boston seattle amsterdam
    """,
    "gear": """
        laptop macbook mac thinkpad desktop windows macos linux ubuntu fedora arch debian
        mint nixos wsl wsl2 monitor monitors screen keyboard vim neovim nvim emacs helix
        vscode vs_code intellij pycharm rstudio jupyterlab jupyter sublime sublime_text
        editor ide terminal shell zsh fish tmux dark_mode light_mode theme font trackball
        trackpad mouse phone ipad iphone android_phone chromebook ram gpu rtx m1 m2 m3
        dvorak qwertz azerty colour_scheme color_scheme keybindings key_bindings tabs spaces
        solarized gruvbox zoom browser firefox workstation my_machine pc box tablet setup
        raspberry
    """,
    "lang": """
        python java javascript typescript go golang rust c c++ c# kotlin swift ruby perl php
        scala haskell erlang elixir clojure lisp ocaml r julia matlab fortran cobol sql bash
        css html latex vba excel powershell lua dart objective-c assembly pascal cuda mpi
    """,
}
