"""Small words that carry a sentence."""

from __future__ import annotations

GRAMMAR = {
    "if": """
        before when whenever if unless until while once after during in_case wenn bevor
        falls sobald quand avant lorsque cuando antes quando_for
    """,
    "because": """
        because since so due_to so_that therefore hence thanks_to otherwise reason weil
        damit denn car parce porque pois puisque
    """,
    "the": """
        the der die das den dem le les la el los las os o il lo
    """,
    "a": """
        a an ein eine einen einem un une una um uma
    """,
    "this": """
        this that these those it its it's
    """,
    "all": """
        all every each any both
    """,
    "is": """
        is are isn't aren't ist sind est sont es son está están é são ficam fica
    """,
    "was": """
        was were got had became wurde wurden war waren été fue fueron foi foram était
    """,
    "has": """
        has have 've gets get hat haben ont tiene tienen tem
    """,
    "been": """
        been being
    """,
    "will": """
        will won't going_to 'll about_to to_be wird werden sera seront será serão va_a vai
    """,
    "can": """
        can can't cannot could couldn't would might
    """,
    "in": """
        in at on under inside within via below im auf unter beim dans sur sous en na nas nos
        em sob
    """,
    "for": """
        for about on_anything regarding with für pour para por über sobre zu zum zur
    """,
    "by": """
        by until till by_the by_then bis d'ici hasta até
    """,
    "from": """
        from out_of von vom depuis seit desde
    """,
    "to": """
        to into
    """,
    "of": """
        of
    """,
    "and": """
        and or but und oder et ou y e aber mais pero mas
    """,
    "as": """
        as than like_a
    """,
    "still": """
        still currently now already yet at_the_moment for_now so_far no_longer meanwhile
        noch schon derzeit encore déjà actuellement aún ya todavía ainda já
    """,
    "where": """
        where
    """,
    "who": """
        who whom
    """,
    "often": """
        mostly usually mainly often sometimes daily rarely normally generally strongly
        barely hardly all_day nowadays these_days every_day day_to_day a_lot a_bit a_little
        never_used never_touched almost_always almost_never almost_exclusively primarily
        predominantly typically normally_work occasionally seldom for_years for_ages
        since_forever since_school since_university all_the_time on_the_side in_my_spare
        spare_time free_time after_work at_work at_home meist überwiegend hauptsächlich
        gelegentlich täglich surtout souvent parfois principalement rarement généralement
        sobre_todo a_menudo casi_siempre principalmente normalmente às_vezes quase_sempre
        geralmente sobretudo
    """,
}
