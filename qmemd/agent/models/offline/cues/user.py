"""Who the user is, knows and prefers."""

from __future__ import annotations

from qmemd.agent.models.offline.cues.cue import Cue

USER: tuple[Cue, ...] = (
    Cue(
        4.5,
        r"^(?:the |this |our )?user(?:'s \w+|,? (?:(?:also|currently|really|mostly|usually|"
        r"often|mainly|strongly|already|only|now|just|never|still|generally|typically) )*"
        r"(?!accounts?\b|tables?\b|ids?\b|models?\b|services?\b|stories\b|sessions?\b|"
        r"interface\b|data\b|names?\b|profiles?\b|input\b|records?\b|guide\b|manual\b|"
        r"facing\b|management\b|api\b|roles?\b|events?\b|tokens?\b|settings\b|uploads?\b|"
        r"emails?\b|passwords?\b|requests?\b|objects?\b|docs?\b)[a-z]+)",
    ),
    Cue(
        4,
        r"\bi(?:'m| am|'ve| have| work| use| like| love| prefer| know| learn(?:ed|t)?| speak|"
        r" live| don't know| never| was| mostly| usually| mainly| only| come| grew| studied|"
        r" started| own| maintain| lead| manage| run| hate| dislike| enjoy| think| read| write|"
        r" switched| can| can't| do| need| code| care| spend| find| struggle| keep)\b",
    ),
    Cue(4, r"^my\b"),
    Cue(2, r"\b(?:my|myself)\b"),
    Cue(
        4.5,
        r"^(?:he|she|(?:mostly|usually|mainly|strongly) \w+s|prefers|likes|dislikes|hates|"
        r"loves|works|uses|knows|speaks|lives|is an?|has|wants|enjoys|comes|learns|reads|"
        r"writes|types|thinks|based in)\b",
    ),
    Cue(
        2,
        r"\b(?:prefers?|preferred|preferences?|favou?rite|likes|dislikes|hates|enjoys|loves)\b",
    ),
    Cue(
        2,
        r"\b(?:years? of experience|years? of|experienced|new to|beginner|novice|expert|"
        r"fluent|native|comfortable with|familiar with|time ?zone|pronouns|background|career|"
        r"job title|colou?r-?blind|dyslexi\w+|unfamiliar|self-taught|junior|senior|intern|"
        r"student|learning|works as|hobby|degree|first time|mother tongue|keyboard|"
        r"deep (?:knowledge|experience)|proficient|freelancer?|parental leave|"
        r"paternity leave|maternity leave|part-time|working hours|never (?:used|touched))\b",
    ),
    Cue(4, r"^as (?:an?|the) [^,]{3,50}, (?:i|he|she|the user)\b"),
    Cue(2, r"\b(?:based in|lives in|remotely|from home)\b"),
    Cue(3, r"^i\b|\bi (?:already|still|also|often|really|have|am|do)\b"),
    Cue(
        3.5,
        r"\bis (?:an?|the|our|our new|the new) (?:[\w-]+ ){0,3}(?:engineer|developer|designer|"
        r"manager|"
        r"architect|scientist|analyst|researcher|student|consultant|founder|cto|ceo|"
        r"administrator|admin|writer|tester|hobbyist|programmer|teacher|contractor|"
        r"maintainer|director|lead|intern|freelancer|sre|devops engineer|beginner|expert|"
        r"physicist|mathematician|journalist|lawyer|doctor)\b",
    ),
    Cue(
        3,
        r"\b(?:expertise|proficiency|knowledge of|experience (?:with|in)|no experience|"
        r"little experience|fluent in|background in|skilled in|knows \w+ well|phd|master's|"
        r"bachelor's|years (?:in|with|as)|certified|left-handed|right-handed|hard of hearing|"
        r"screen reader|visually impaired|adhd|vegetarian)\b",
    ),
    Cue(
        3,
        r"^\w+ (?:prefers|likes|dislikes|speaks|lives|enjoys|hates|loves|codes|"
        r"works (?:from|at|as|remotely))\b",
    ),
    Cue(
        3,
        r"\bmy (?:laptop|machine|computer|phone|desktop|home|editor|terminal|shell|setup|os|"
        r"keyboard|screen|monitor|workstation|name|role|job|time ?zone|background|experience|"
        r"first|main|native|favou?rite|preferred|manager|english|eyes|eyesight|kids)\b",
    ),
    Cue(
        2.5,
        r"\b(?:key ?bindings|vim mode|dark (?:mode|theme)|light (?:mode|theme)|fonts?|"
        r"keyboard layout|window manager|in this session|(?:foreign|new|familiar|hard) (?:to|"
        r"for) (?:me|him|her)|when i (?:changed|started|joined|switched))\b",
    ),
    Cue(2, r"\bi (?:\w+ )?(?:changed|switched|moved|spent|came|got|joined|did|began)\b"),
)
