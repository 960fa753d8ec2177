"""How people say what they want done, and what they think of how it was done."""

from __future__ import annotations

WISHES = {
    "always": """
        always never each_time every_time from_now_on going_forward next_time in_future
        in_the_future anymore any_more ever henceforth no_exceptions immer nie niemals
        nie_wieder jedes_mal toujours jamais chaque_fois siempre nunca cada_vez sempre
    """,
    "dont": """
        don't dont do_not stop avoid quit refrain skip cease no_need enough no_more hör
        vermeide arrête évite évitez n'utilise n'ajoute evita deja_de não_traduza pare
        dnt never_ever knock_it_off hands_off leave_alone no_need_for cut_out lay_off
        hold_off steer_clear must_not should_not i_don't_want i_dont_want not_a_fan_of
        hör_auf lass_das keine_weiteren arrête_de arrêtez ne_fais ne_mets ne_touche
        ne_change ne_modifie n'écris n'oublie n'explique n'invente no_uses no_me no_hagas
        no_pongas no_toques no_cambies no_escribas no_añadas no_borres não_use não_faça
        não_mexa não_coloque não_altere não_escreva não_invente não_apague para_de pare_de
        dejar_de
    """,
    "no": """
        no not without isn't isnt aren't wasn't doesn't doesnt didn't didnt haven't hasn't
        won't wont neither nor nothing none nicht kein keine keinen ohne ne pas sans sin não
        sem nem nunca_más pas_de
    """,
    "please": """
        please pls plz kindly thanks thx ok_to feel_free make_sure be_sure bitte merci
        s'il_te s'il_vous por_favor gracias obrigado danke veuillez appreciate_it
        if_possible if_you_could could_you would_you can_you cheers ta i_beg_you
        por_gentileza s'il_vous_plaît s'il_te_plaît s.v.p stp svp ok
    """,
    "must": """
        must should shouldn't shouldnt mustn't ought shall has_to have_to need_to needs_to
        may supposed_to required allowed forbidden banned mandatory may_not expected
        acceptable off_limits off-limits never_to muss müssen soll sollen sollte darf dürfen
        doit dois faut debe deben deve devem hay_que musn't obligatory compulsory prohibited
        not_allowed not_permitted only_allowed obliged encouraged discouraged preferable
        advisable wanted_here unwelcome untouchable yours_to not_yours yours off-topic
    """,
    "rather": """
        rather instead instead_of rather_than over not_just unless only_when only_if statt
        sondern lieber plutôt au_lieu en_vez_de em_vez_de
    """,
    "less": """
        less more fewer shorter longer slower faster simpler smaller bigger too much
        a_bit_less briefer brief concise terse verbose short long lengthy wordy chatty
        formal informal friendlier blunt gentler softer harder stricter deeper detailed
        compact minimal tighter plainer plain simple cleaner clearer readable exact precise
        small smaller_steps knapp kürzer kurz weniger mehr einfacher ausführlich langsamer
        moins plus court courtes courts simples menos más mais curto curtas corto cortos
        breve breves
    """,
    "only": """
        only just nothing_else nur seulement solo sólo só apenas
    """,
    "again": """
        again last_time yesterday twice three_times this_time already_told keep_doing
        you_keep the_other_day do_it_again once_more more_of_that like_that the_third_time
        second_time for_the_second for_the_third once_again yet_again this_morning
        the_last_time last_session earlier_today earlier_you previously you_always you_never
        you_forgot you_left you_changed you_deleted you_broke you_renamed you_wrote you_gave
        you_did you_were you_used you_added you_assumed you_missed you_put you_called
        still_waiting repeatedly wieder nochmal gestern letztes_mal encore_une_fois
        la_dernière hier otra_vez la_última ayer de_novo da_última ontem
    """,
    "praise": """
        good great nice perfect excellent helpful well_done right_call good_call loved liked
        appreciated thank exactly spot_on happy glad welcome worked_well keep_it_up
        brilliant awesome fantastic superb lovely neat sweet impressed impressive useful
        handy works_for_me worked bravo kudos nailed ideal pleased grateful delighted
        appreciate enjoyed this_is_how more_like_this keep_going keep_that keep_up keep_this
        worth_it good_idea nice_touch super prima toll klasse hilfreich genau_so parfait
        génial utile merci_pour perfecto genial excelente útil bien_hecho perfeito ótimo
        adorei gostei sehr_gut
    """,
    "annoyed": """
        annoyed annoys annoying unhappy complained frustrated frustrating confusing confused
        wrong mistake unnecessary overkill unacceptable not_ok reject rejected lost_me
        cost_me wasted burned bothers upset irritates hate_when corrected too_long
        too_verbose pointless hated disliked terrible awful horrible bad worse useless_to
        sloppy careless rude condescending patronising patronizing distracting noise noisy
        waste wasting sick_of tired_of fed_up enough_of angry grumpy disappointed
        embarrassing embarrassed surprised surprise breaks_my drove_me drives_me had_to_fix
        had_to_redo had_to_revert had_to_undo revert_it got_lost lost_track can't_follow
        cannot_follow hard_to_read hard_to_follow hard_to_review unreadable too_many
        too_fast too_academic too_formal too_clever nobody_asked not_asked didn't_ask
        did_not_ask didnt_ask without_being_asked burned_me bit_me bites hallucinated
        invented made_up guessed assumed overwrote rewrote clobbered backfired nervt genervt
        falsch unnötig énervant inutile gênant molesta confunde innecesario incomoda chato
        desnecessário errado
    """,
    "asked": """
        asked told reminded requested insists insisted wanted instructed objected said
        begged urged complained_that pointed_out mentioned_that emphasised emphasized
        stressed repeated scolded praised approved validated thanked demanded prefers_that
        wants_you wants_the expects_the expects_every requests demands
    """,
    "want": """
        want wants need needs expect expects 'd_like would_like i'd_rather would_rather wish
        wishes would_love would_prefer would_appreciate looking_for hope i'd_like i'd_love
        i'd_prefer ich_will ich_möchte möchte hätte_gern brauche je_veux j'aimerais
        je_voudrais quiero quisiera necesito me_gustaría quero gostaria preciso
    """,
    "prefer": """
        prefer prefers like likes love loves enjoy enjoys hate hates dislike dislikes
        favourite favorite can't_stand cannot_stand preferred fond_of fan_of allergic_to
        swear_by sucker_for mag bevorzuge hasse liebe préfère déteste adore prefiero odio
        gusta prefiro gosto odeio adores detest loathe loathes despise despises dislikes_it
        fan favours favors favourites obsessed addicted partial_to keen_on into preference
        preferences passionate purist sworn bother bothers_me suits_me ugly itch itches
        loyal picky lieber_mit am_liebsten lieblings j'adore je_déteste me_encanta detesto
        adoro amo
    """,
}
