"""How loudly each cue speaks for each of ``classify.OUTCOMES``, in tenths.

Written by scripts/train_classifier.py. ``kind`` is a word anywhere, ``^kind`` the first word,
``*`` a shape of the sentence. The weights of the cues in a fact are added up, and the highest
sum wins. The columns: user; feedback for the user, for the project; project; reference of the
user's own, of the project.
"""

from __future__ import annotations

WEIGHTS = """
(any)                   |    9   10  -11    4  -13    2
*about a person         |   20   -6   -6  -10    5   -2
*address                |  -10  -11   -4  -14   20   20
*ask somebody           |   -2   -7    1   -5   -1   13
*event                  |   -1   -4   -1    7   -2    0
*i and you              |   -6   13   -2   -3   -1   -1
*in a place             |  -11   -5   -3   -7   12   13
*label                  |   -8   -3    4   -2    0   10
*label of a place       |   -6   -7    2   -7    2   15
*no person              |   -3    1    1    6   -9    6
*no verb                |    2    0   -1   -2   -2    3
*order                  |   -6   17   -3   -9   -3    4
*order in a later part  |   -3   14    1  -11   -2    1
*system is              |   -8   -6    1   12   -5    6
^again                  |   -3    6   -1   -2    0    0
^all                    |   -6   -7   10    6   -2    0
^always                 |   -2   10   -2   -3   -1   -2
^ask                    |    2   -8   -1   -5    0   12
^changed                |    2    2   -2    1   -1   -2
^does                   |   12   -4   -2   -4    0   -2
^doing                  |   -4    2   -1   -4    0    6
^dont                   |   -5   18   -2   -7    0   -3
^due                    |   -3   -3    3    7   -1   -4
^everyone               |   -3   -9   16   -2   -1   -1
^for                    |   -7    1    7   -8   -1    7
^gear                   |   12   -5   -1   -1   -1   -4
^he                     |   11   -1   -1   -5   -1   -3
^i                      |   18   -4   -3  -10    7   -8
^if                     |   -3   12   -2   -5   -1   -1
^in                     |   -1   -3   12   -5   -1   -3
^job                    |   14   -5   -1   -8   -1    0
^lang                   |    7   -1   -1   -4   -1   -1
^less                   |   -7   12    0   -3    0   -1
^life                   |   11   -2   -2    2   -1   -7
^limit                  |   -2   -1    0    5    0   -2
^located                |   -1    6   -1   -1    0   -2
^my                     |    7   -7   -2   -5   18  -13
^no                     |    5    5   -3   -3   -1   -3
^order                  |   -9   13    0   -5   -2    3
^please                 |   -2    4    0   -1    0    0
^practice               |   -3   15    2   -9   -1   -4
^praise                 |   -1    5   -1   -2    0   -2
^prefer                 |    8   -2   -1   -3   -1   -2
^resource               |   -4   -2   -2   -3   -1   13
^see                    |    0   -2    0   -2    0    5
^shared                 |   -1   -7   12   -2    0   -3
^skill                  |   12   -5   -1   -3    0   -3
^system                 |   -8   -2    2    8   -4    4
^tech                   |   -2   -6   -2    8   -1    1
^tell                   |   -7   10   -3   -4   -1    4
^the                    |    1   -3  -10    7    1    4
^this                   |   -1    8   -1   -4    0   -1
^tool                   |   -1   -1    0   -5   -1    8
^trouble                |   -2   -3   -1    4   -1    2
^user                   |    1    6   -2    0   -1   -3
^version                |   -1   -3    0    8    0   -4
^we                     |    0   -7    4   13   -1   -9
^you                    |   -1    6   -1   -5   -1    1
a                       |    8    4    6    0   -8  -10
again                   |   -6   14    1   -4   -1   -4
agent                   |  -10    6   14   -1   -1   -7
all                     |   -3    1    8   -5    5   -7
always                  |    0    7   13   -6   -2  -11
and                     |    7   -4    8    1   -7   -5
annoyed                 |   -7   13    3   -4   -2   -3
arrow                   |   -4    3   -1   -4   -1    7
as                      |    3    3    2   -5   -1   -2
ask                     |    2   -3   -2   -7   -5   15
asked                   |   -5    7   -3    4   -1   -2
because                 |    3   -3    6    9   -3  -12
been                    |    1    3   -1   -2    0   -1
by                      |   -3   -2    5    8   -4   -3
can                     |    5   -4    1   -2   -2    2
changed                 |   -4   -3    6   14   -3  -10
channel                 |   -1   -4   -1   -5   -1   11
date                    |    7  -10   -7   10    1   -1
did                     |   -4   -2    2    3   -1    2
does                    |    3   -8   10    3   -5   -4
doing                   |    0    5   -1   -4   -1    2
dont                    |    1   10    4   -4   -2   -9
due                     |   -4   -6   -1   11   -1    0
everyone                |   -9   -6   23   -5   -2   -1
file                    |   -5   -4   -1  -11   12    9
for                     |    0   -5    1    1   -1    4
from                    |   -2   -2   -6    7   -3    7
gear                    |   13   -2   -7   -6    9   -8
has                     |    7   -3   -1    2    0   -4
he                      |    0   -4    0   -3   -2    8
host                    |   -4   -5   -1   -5    7    8
i                       |   14    0   -6   -9    9   -9
if                      |   -5   11   -1    3   -5   -3
in                      |   -1   -3    4    1    1   -2
is                      |    4   -3   -8    5   -4    6
job                     |   17   -9    7   -4   -3   -7
lang                    |   17   -5   -1   -1    0  -11
less                    |    0   11   -3    1   -2   -6
life                    |   14   -6   -6    0    1   -2
limit                   |   -1    3    0   10   -5   -7
located                 |   -7  -11  -10    1   14   13
me                      |    6   13   -3   -8   -2   -5
must                    |  -10    7   11    4   -2  -10
my                      |    8    2   -4  -12   20  -14
name                    |    2  -11    0    1    2    6
no                      |    3    9    7   -6   -3  -10
number                  |    0  -11   -8   11    6    1
of                      |    2   -3   -8    9   -4    4
often                   |   15   -3   -2   -7   -2   -1
only                    |    3    7    0    3   -3   -9
order                   |   -4    6    4    2   -6   -2
path                    |   -5   -3   -2   -7    8   10
people                  |   12    3   -2   -4   -2   -6
please                  |    0   17   -3   -7   -1   -5
practice                |   -5   10    6   -7    4   -8
praise                  |   -1   13   -1   -6   -1   -2
prefer                  |   11    2    0   -6   -3   -6
private                 |    0   -1    1   -4   18  -14
quoted                  |  -11   -2    0  -10   14    9
rather                  |    2    7    1    0   -2   -8
resource                |  -10   -6    0   -7   11   12
rule                    |   -5   -1   14    0   -1   -7
see                     |    2    1    2  -10   -2    7
shared                  |   -8  -11   29  -10    2   -2
skill                   |   20   -4   -5   -5   -3   -3
still                   |    8   -4   -4    7   -1   -5
system                  |   -5   -2    1    8   -6    4
tech                    |    4  -11    2    8   -1   -1
tell                    |   -8   11    2   -4    3   -4
the                     |   -5    2   -2    4   -2    3
this                    |    2    7    8   -1   -1  -15
ticket                  |   -3   -4   -1    3    0    6
to                      |   -4    6    1    0   -4    1
tool                    |  -10  -11    1   -6    9   17
trouble                 |   -7    2    0    6   -4    4
url                     |   -5   -6   -2   -7    7   14
user                    |   17    8   -4  -11   -2   -8
version                 |   -2  -10   -4   11   -2    7
want                    |   -8    6   10   -3    0   -6
was                     |   -7    9    1    5   -1   -7
we                      |   -7   -6    8    8   -3    0
where                   |   -3    5    0   -2   -1    1
who                     |    4   -1    0   -3    0    0
will                    |    8   -5    2    1   -1   -6
you                     |   -9   17    5   -7   -2   -4
"""
