"""Makes the fonts of this folder anew.

Needs Debian's fonts-noto-core, fonts-droid-fallback, fonts-nanum and
python3-fonttools: python3 build.py [root of the unpacked packages, / by default].
Hinting, layout tables and other scripts' glyphs are left out, and each font has a
name of its own, as the OFL asks of what was changed.
"""

import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTFont

LETTERS = [(0x20, 0x7E), (0xA0, 0x52F), (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x20A0, 0x20BF),
           (0x2100, 0x214F), (0x2190, 0x2193), (0x2212, 0x2212)]
HAN = [(0x2E80, 0x2FDF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xFF00, 0xFFEF)]
HANGUL = [(0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7A3)]

FONTS = [
    ("sans.ttf", "Passport Sans", "usr/share/fonts/truetype/noto/NotoSans-Regular.ttf", LETTERS),
    ("sans-bold.ttf", "Passport Sans Bold", "usr/share/fonts/truetype/noto/NotoSans-Bold.ttf", LETTERS),
    ("han.ttf", "Passport Han", "usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf", HAN),
    ("hangul.ttf", "Passport Hangul", "usr/share/fonts/truetype/nanum/NanumGothic.ttf", HANGUL),
]

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/")
for out, name, source, ranges in FONTS:
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "DSIG", "TSI0", "TSI1", "TSI2", "TSI3", "TSI5", "vhea", "vmtx", "FFTM"]
    font = TTFont(root / source, recalcTimestamp=False)
    keep = subset.Subsetter(options)
    keep.populate(unicodes=[u for low, high in ranges for u in range(low, high + 1)])
    keep.subset(font)
    for record in font["name"].names:
        given = {1: name, 3: name, 4: name, 6: name.replace(" ", "")}.get(record.nameID)
        if given:
            record.string = given
    font.save(pathlib.Path(__file__).parent / out)
