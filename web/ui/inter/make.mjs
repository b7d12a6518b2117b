// Makes the two files of fonts.css of Inter's variable font, both with weights 400 to 700 at
// the optical size of text, kerning and tabular figures:
//
//   - inter.woff2 has Latin-1 and the marks of our texts;
//   - inter-extended.woff2 has the other Latin letters of names, from Latvian to Vietnamese.
//     A browser loads it for a page that has one of them.
//
// Run it in a folder that has inter-ui 4.1.1, subset-font 2.9.0 and fontkit of npm:
//
//	node make.mjs FOLDER [FALLBACK.ttf ...]
//
// It prints the letters that Inter lacks and the overrides of fonts.css for each fallback.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const load = createRequire(process.cwd() + '/')
const subset = load('subset-font')
const fontkit = load('fontkit')

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).join('')
const basic = range(0x20, 0x7e) + range(0xa0, 0xff) + '–—‘’‚“”„•…€−×≈≤≥→←↑↓✓✕\u2011\u202f'
const extended = range(0x100, 0x24f) + range(0x1e00, 0x1eff) // the unicode-range in fonts.css
const sample = 'We asked your bank for your accounts, and it answered: $12,345.67 in three months. Continue to your income ' +
	'and your employer. Revise la solicitud y elija su banco; nadie ve su contraseña.'

const [folder, ...fallbacks] = process.argv.slice(2)
const whole = readFileSync(load.resolve('inter-ui/package.json').replace('package.json', 'variable/InterVariable.woff2'))
for (const [name, letters] of [['inter', basic], ['inter-extended', extended]]) {
	writeFileSync(`${folder}/${name}.woff2`, await subset(whole, letters, {
		targetFormat: 'woff2', keepFeatures: ['kern', 'tnum'], variationAxes: { wght: { min: 400, max: 700 }, opsz: 16 },
	}))
	const font = fontkit.openSync(`${folder}/${name}.woff2`)
	const missing = [...letters].filter(c => !font.hasGlyphForCodePoint(c.codePointAt(0)))
	console.log(name, 'lacks', missing.length, 'of', [...letters].length, missing.map(c => c.codePointAt(0).toString(16)).join(' '))
}

const width = font => font.layout(sample).glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0) / font.unitsPerEm
const inter = fontkit.openSync(`${folder}/inter.woff2`)
const percent = share => (share * 100).toFixed(2) + '%'
for (const name of fallbacks) {
	const size = width(inter) / width(fontkit.openSync(name))
	const scaled = height => percent(height / inter.unitsPerEm / size)
	console.log(name, 'size-adjust', percent(size), 'ascent-override', scaled(inter.ascent), 'descent-override', scaled(-inter.descent))
}
