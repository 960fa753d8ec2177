"""What an agent is told to do, and what rules about its work are about."""

from __future__ import annotations

WORK = {
    "tell": """
        tell ask answer explain describe show say write list report mention summarise
        summarize propose suggest recommend warn confirm reply respond give cite quote state
        justify name present speak talk translate draft comment document clarify point_out
        walk_me ask_me check_with_me tell_me show_me give_me let_me remind flag announce
        antworte erkläre erklär zeig zeige sag schreib schreibe frag frage explique explica
        responde responda réponds écris dis demande escribe escreva diga pregunta pergunte
        antworten ausgeben traduza traduis muéstrame mostre expliques montre elaborate
        ask_first inform notify advise spell_out teach lecture apologise apologize praise
        greet thank argue discuss review_with criticise criticize challenge question_my
        interrupt estimate predict speculate claim invent guess hallucinate narrate
        paraphrase reformulate repeat outline sketch visualise visualize highlight flag_it
        print tell_us let_me_know walk_through talk_me walk_me_through ping_me warn_me
        remind_me ask_before check_first show_your cite_the nenne nenn erzähl übersetze
        fasse begründe warne liste beschreibe raconte résume signale préviens indique
        avertis avisa di dime cuéntame resume traduce cita enumera indica avisame pergunta
        avise explique-me me_mostre mostra me_diga resuma
    """,
    "order": """
        add address aim apply assume attach batch be begin bring build bump call change
        check choose clean close come commit compare consider copy cover create cut declare
        default delete deploy disable do double-check drop edit enable end ensure exclude
        extract fetch find finish fix focus fold follow format generate get go group guess
        handle hide hold ignore implement import include inline insert install introduce
        keep leave let limit link log look make mark match measure merge minimise minimize
        mock modify move note offer omit open order paste pick pin place plot post prefix
        print prove provide push put raise read rebase refactor reformat remember remove
        rename replace resist respect restrict return reuse review revert rewrite round run
        save search send separate set ship shorten simplify sort split squash stage start
        stay stick store structure switch tag take test think touch track treat trim try
        turn type update use verify wait watch work wrap spell indent align stick_to
        verwende benutze nutze halte mach mache prüfe nimm gib lass bleib utilise garde fais
        laisse mets usa utiliza haz mantén deja pon ve faça mantenha deixe coloque évite
        usar
    """,
    "practice": """
        commit commits pr prs comments docstrings answers answer explanation explanations
        response responses replies reply summary summaries examples example snippet snippets
        function functions names naming diffs diff suggestions suggestion plan plans steps
        step headings titles wording spelling tone emoji emojis markdown bullet bullets
        variable variables option options hints hint code_review review message messages
        screenshots paragraphs sentence sentences one-liners one-liner placeholders question
        prose jargon assumptions boilerplate abbreviations worksheets derivations lectures
        output kommentare antworten zusammenfassungen beispiele ausschnitte commentaires
        réponses exemples résumés comentarios respuestas ejemplos ejercicios resúmenes
        comentários respostas exemplos exercícios mensajes mensagens réponse antwort
    """,
}
