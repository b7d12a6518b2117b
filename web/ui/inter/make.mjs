// Makes inter.woff2 of Inter's variable font: Latin-1 and the marks of our texts, weights
// 400 to 700 at the optical size of text, kerning and tabular figures. Run in a folder
// that has inter-ui 4.1.1, subset-font 2.9.0 and fontkit of npm:
//
//	node make.mjs OUT.woff2 [FALLBACK.ttf ...]
//
// It prints the overrides of fonts.css for each fallback.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const load = createRequire(process.cwd() + '/')
const subset = load('subset-font')
const fontkit = load('fontkit')

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).join('')
const glyphs = range(0x20, 0x7e) + range(0xa0, 0xff) + '–—‘’‚“”„•…€−×≈≤≥→←↑↓✓✕\u2011\u202f'
const sample = 'We asked your bank for your accounts, and it answered: $12,345.67 in three months. Continue to your income ' +
	'and your employer. Revise la solicitud y elija su banco; nadie ve su contraseña.'

const [out, ...fallbacks] = process.argv.slice(2)
const whole = readFileSync(load.resolve('inter-ui/package.json').replace('package.json', 'variable/InterVariable.woff2'))
const small = await subset(whole, glyphs, {
	targetFormat: 'woff2', keepFeatures: ['kern', 'tnum'], variationAxes: { wght: { min: 400, max: 700 }, opsz: 16 },
})
writeFileSync(out, small)

const width = font => font.layout(sample).glyphs.reduce((sum, glyph) => sum + glyph.advanceWidth, 0) / font.unitsPerEm
const inter = fontkit.openSync(out)
const percent = share => (share * 100).toFixed(2) + '%'
for (const name of fallbacks) {
	const size = width(inter) / width(fontkit.openSync(name))
	const scaled = height => percent(height / inter.unitsPerEm / size)
	console.log(name, 'size-adjust', percent(size), 'ascent-override', scaled(inter.ascent), 'descent-override', scaled(-inter.descent))
}
