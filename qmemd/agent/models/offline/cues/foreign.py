"""The same for German, French, Spanish, Chinese and Japanese."""

from __future__ import annotations

from qmemd.agent.models.offline.cues.cue import Cue
from qmemd.kinds import Topic

FOREIGN: tuple[tuple[Topic, Cue], ...] = (
    # German
    (
        Topic.FEEDBACK,
        Cue(
            5,
            r"\b(?:bitte|immer|niemals|nie wieder|hör auf|vermeide|keine \w+ (?:in|im|mehr)|"
            r"achte darauf|nicht ohne)\b|^(?:verwende|benutze|schreibe?|antworte|erkläre|frage?|"
            r"nutze|halte|zeige?|mache?|prüfe|nimm|gib|lass)\b",
        ),
    ),
    (
        Topic.USER,
        Cue(
            4.5,
            r"\b(?:ich (?:bin|arbeite|mag|bevorzuge|kenne|nutze|habe|lerne|wohne|spreche|"
            r"komme)|meine? \w+|der (?:be)?nutzer (?:ist|hat|mag|arbeitet|bevorzugt|kennt|"
            r"möchte|nutzt)|die nutzerin)\b",
        ),
    ),
    (
        Topic.PROJECT,
        Cue(
            3,
            r"\b(?:wir (?:haben|sind|nutzen|verwenden|werden|planen|müssen)|beschlossen|unser\w*|"
            r"frist|veröffentlichung|der dienst|die datenbank|die schnittstelle|läuft auf|"
            r"wird (?:\w+ )*(?:gebaut|migriert|veröffentlicht|abgeschaltet)|entschieden)\b",
        ),
    ),
    (
        Topic.REFERENCE,
        Cue(
            4,
            r"\b(?:(?:liegt|liegen|steht|stehen|findet sich|finden sich|zu finden|dokumentiert)\b"
            r".{0,60}\b(?:im|in|auf|unter|bei)\b|handbuch|ansprechpartner\w*|fragen zu)",
        ),
    ),
    # French
    (
        Topic.FEEDBACK,
        Cue(
            5,
            r"\b(?:toujours|jamais|évite[zr]?|arrête[zr]?|s'il (?:te|vous) plaît|utilise[zr]?|"
            r"écris|réponds|répondez|explique[zr]?|demande[zr]? avant|ne (?:pas|mets|fais|"
            r"modifie)|n'(?:utilise|ajoute|écris|oublie))\b",
        ),
    ),
    (
        Topic.USER,
        Cue(
            4.5,
            r"(?:\bje (?:suis|travaille|préfère|connais|débute|parle|vis|n'ai|ne connais)\b|"
            r"\bj'(?:ai|aime|utilise|habite|apprends)\b|\b(?:mon|ma|mes) \w+|"
            r"\bl'utilisat(?:eur|rice) (?:est|a|préfère|aime|travaille|connaît|utilise))",
        ),
    ),
    (
        Topic.PROJECT,
        Cue(
            3,
            r"(?:\b(?:nous (?:avons|utilisons|allons|devons|sommes)|on a décidé|décidé|notre|nos|"
            r"le service|la base de données|le gel|date limite|version \d|migration|"
            r"l'api|le projet|est (?:écrit|déployé)e?)\b)",
        ),
    ),
    (
        Topic.REFERENCE,
        Cue(
            4,
            r"\b(?:se trouve(?:nt)?|(?:est|sont) (?:disponible|documenté|suivi)e?s? (?:sur|dans)|"
            r"la documentation|le tableau de bord|contacter|contacte[zr]?|demande[zr]? à|voir)\b",
        ),
    ),
    # Spanish
    (
        Topic.FEEDBACK,
        Cue(
            5,
            r"\b(?:siempre|nunca|evita|deja de|por favor|no (?:uses|hagas|pongas|añadas|agregues|"
            r"modifiques|escribas|cambies|toques)|pregunta antes|asegúrate)\b|"
            r"^(?:usa|utiliza|escribe|responde|explica|haz|mantén)\b",
        ),
    ),
    (
        Topic.USER,
        Cue(
            4.5,
            r"\b(?:(?:yo )?soy|prefiero|trabajo (?:con|en|como|desde)|me gusta|conozco|"
            r"estoy aprendiendo|vivo en|hablo|tengo \w+ años|mi (?:nombre|zona|rol|idioma|editor|"
            r"equipo|puesto)|el usuario (?:es|prefiere|trabaja|usa|tiene|conoce)|la usuaria)\b",
        ),
    ),
    (
        Topic.PROJECT,
        Cue(
            3,
            r"\b(?:hemos|decidimos|usamos|nuestr[oa]s?|el servicio|la base de datos|fecha límite|"
            r"se despliega|la versión|el proyecto|migramos|la api|está escrit[oa])\b",
        ),
    ),
    (
        Topic.REFERENCE,
        Cue(
            4,
            r"\b(?:está(?:n)? (?:en|disponible)s?|se encuentra(?:n)?|el tablero|la documentación|"
            r"pregunta a|contacta(?:r)?|consulta(?:r)?|ver)\b",
        ),
    ),
    # Chinese
    (
        Topic.FEEDBACK,
        Cue(
            5,
            r"(?:不要|别再|请勿|总是|始终|务必|必须先|避免|每次.{0,12}(?:都要|前|时)|以后|应该先|"
            r"请(?:用|使用|先|在|保持|把)|禁止|一律)",
        ),
    ),
    (
        Topic.USER,
        Cue(
            4.5,
            r"(?:我(?:是|喜欢|偏好|习惯|熟悉|不熟|在学|住在|用|的)|用户(?:是|喜欢|偏好|习惯|"
            r"熟悉|使用|不熟|更喜欢|在)|刚开始学)",
        ),
    ),
    (
        Topic.PROJECT,
        Cue(
            3,
            r"(?:我们|决定|项目|服务|数据库|接口|迁移|部署|版本|截止|上线|发布|冻结|端口|缓存|事故|"
            r"测试环境|生产环境)",
        ),
    ),
    (
        Topic.REFERENCE,
        Cue(
            4.5,
            r"(?:看板|面板|文档(?:在|位于|地址)|链接|位于|请联系|请问|可以在.{0,30}(?:找到|查看|看到)|"
            r"详见|参见|记录在|"
            r"跟踪在|wiki|频道|知识库|手册|(?:问题|事).{0,6}(?:找|问|联系))",
        ),
    ),
    # Japanese
    (
        Topic.FEEDBACK,
        Cue(5, r"ください|しないで|必ず|常に|避けて|やめて|べき|こと。?$|してほしい|使うな|禁止"),
    ),
    (
        Topic.USER,
        Cue(4.5, r"私は|私の|僕は|俺は|ユーザーは|ユーザは|得意|苦手|好き|好み|初心者|勉強中"),
    ),
    (
        Topic.PROJECT,
        Cue(
            3,
            r"サービス|データベース|リリース|決定|移行|デプロイ|ポート|プロジェクト|期限|障害|"
            r"バージョン|本番|ステージング|書かれて|動いて|締め切り|我々|弊社",
        ),
    ),
    (
        Topic.REFERENCE,
        Cue(
            4.5,
            r"ダッシュボード|ドキュメント|設計書|手順書|にあります|を参照|に聞いて|に問い合わせ|"
            r"チャンネル|ページ|リンク|wiki|で見られ|で確認でき|にまとめ|に記載|載って|で管理",
        ),
    ),
)
