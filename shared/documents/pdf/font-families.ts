import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export type FontWeight = 'regular' | 'bold';

export interface FontFamily {
  name: string;
  /**
   * The characters to draw with this font. If undefined, the font draws all characters that it has.
   */
  letters?: RegExp;
  file: (style: FontWeight) => string;
}

/** Finds a font's file in a Google package, where each weight has its own folder. */
function googleFontFile(packageName: string, fontName: string): FontFamily['file'] {
  return (style) => {
    const weight = style === 'bold' ? '700Bold' : '400Regular';
    return require.resolve(`@expo-google-fonts/${packageName}/${weight}/${fontName}_${weight}.ttf`);
  };
}

function embedPdfFontFile(packageName: string, fontName: string): FontFamily['file'] {
  return (style) => {
    const file = fontName.replace('*', style === 'bold' ? 'Bold' : 'Regular');
    // The package exports dist/index.cjs only, so the path to the font files starts from there.
    return join(dirname(require.resolve(`@embedpdf/${packageName}`)), '..', 'fonts', file);
  };
}

const NOTO_SANS = googleFontFile('noto-sans', 'NotoSans');

/**
 * The Noto fonts (SIL Open Font License), in the order in which they are searched for each
 * character. Noto Sans contains Devanagari and Latin, but is listed as two families. A word with
 * both scripts is therefore split, because each script needs its own shaping. The Chinese font also
 * has kana and the traditional characters that Japan and Taiwan use.
 */
export const FONT_FAMILIES: readonly FontFamily[] = [
  { name: 'devanagari', letters: /\p{scx=Deva}/u, file: NOTO_SANS },
  // Keep this release of the font. Later releases draw a letter and its dots as separate glyphs. A
  // PDF could not map these glyphs to characters, so its text could not be searched or copied.
  {
    name: 'arabic',
    letters: /\p{scx=Arab}/u,
    file: embedPdfFontFile('fonts-arabic', 'NotoNaskhArabic-*.ttf'),
  },
  { name: 'hebrew', letters: /\p{scx=Hebr}/u, file: googleFontFile('noto-sans-hebrew', 'NotoSansHebrew') },
  { name: 'thai', letters: /\p{scx=Thai}/u, file: googleFontFile('noto-sans-thai', 'NotoSansThai') },
  { name: 'lao', letters: /\p{scx=Laoo}/u, file: googleFontFile('noto-sans-lao', 'NotoSansLao') },
  { name: 'khmer', letters: /\p{scx=Khmr}/u, file: googleFontFile('noto-sans-khmer', 'NotoSansKhmer') },
  { name: 'myanmar', letters: /\p{scx=Mymr}/u, file: googleFontFile('noto-sans-myanmar', 'NotoSansMyanmar') },
  { name: 'bengali', letters: /\p{scx=Beng}/u, file: googleFontFile('noto-sans-bengali', 'NotoSansBengali') },
  {
    name: 'gurmukhi',
    letters: /\p{scx=Guru}/u,
    file: googleFontFile('noto-sans-gurmukhi', 'NotoSansGurmukhi'),
  },
  {
    name: 'gujarati',
    letters: /\p{scx=Gujr}/u,
    file: googleFontFile('noto-sans-gujarati', 'NotoSansGujarati'),
  },
  { name: 'oriya', letters: /\p{scx=Orya}/u, file: googleFontFile('noto-sans-oriya', 'NotoSansOriya') },
  { name: 'tamil', letters: /\p{scx=Taml}/u, file: googleFontFile('noto-sans-tamil', 'NotoSansTamil') },
  { name: 'telugu', letters: /\p{scx=Telu}/u, file: googleFontFile('noto-sans-telugu', 'NotoSansTelugu') },
  { name: 'kannada', letters: /\p{scx=Knda}/u, file: googleFontFile('noto-sans-kannada', 'NotoSansKannada') },
  {
    name: 'malayalam',
    letters: /\p{scx=Mlym}/u,
    file: googleFontFile('noto-sans-malayalam', 'NotoSansMalayalam'),
  },
  { name: 'sinhala', letters: /\p{scx=Sinh}/u, file: googleFontFile('noto-sans-sinhala', 'NotoSansSinhala') },
  {
    name: 'tibetan',
    letters: /\p{scx=Tibt}/u,
    file: googleFontFile('noto-serif-tibetan', 'NotoSerifTibetan'),
  },
  {
    name: 'georgian',
    letters: /\p{scx=Geor}/u,
    file: googleFontFile('noto-sans-georgian', 'NotoSansGeorgian'),
  },
  {
    name: 'armenian',
    letters: /\p{scx=Armn}/u,
    file: googleFontFile('noto-sans-armenian', 'NotoSansArmenian'),
  },
  {
    name: 'ethiopic',
    letters: /\p{scx=Ethi}/u,
    file: googleFontFile('noto-sans-ethiopic', 'NotoSansEthiopic'),
  },
  { name: 'thaana', letters: /\p{scx=Thaa}/u, file: googleFontFile('noto-sans-thaana', 'NotoSansThaana') },
  { name: 'latin', file: NOTO_SANS },
  { name: 'sc', file: embedPdfFontFile('fonts-sc', 'NotoSansHans-*.otf') },
  { name: 'kr', file: embedPdfFontFile('fonts-kr', 'NotoSansKR-*.otf') },
];
