import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export type Style = 'regular' | 'bold';

/** A font in two weights. */
export interface Family {
  /** Names it within a PDF. */
  name: string;
  /** Letters it is asked for; without it, any. */
  letters?: RegExp;
  /** Path of its file. */
  file: (style: Style) => string;
}

/** Google's release of a Noto font: a folder and a file for each weight. */
function google(packageName: string, fontName: string): Family['file'] {
  return (style) => {
    const weight = style === 'bold' ? '700Bold' : '400Regular';
    return require.resolve(`@expo-google-fonts/${packageName}/${weight}/${fontName}_${weight}.ttf`);
  };
}

function embedpdf(packageName: string, fontName: string): Family['file'] {
  return (style) => {
    const file = fontName.replace('*', style === 'bold' ? 'Bold' : 'Regular');
    // The package exports its list of fonts, dist/index.cjs, but not the files beside it.
    return join(dirname(require.resolve(`@embedpdf/${packageName}`)), '..', 'fonts', file);
  };
}

const NOTO_SANS = google('noto-sans', 'NotoSans');

/**
 * Noto (SIL Open Font License), in the order in which a letter looks for its font. Noto Sans also
 * has Devanagari; the name of its own keeps a word of two scripts apart, which are shaped
 * differently. The Chinese font also has kana and the traditional characters that Japan and Taiwan
 * use.
 */
export const FAMILIES: readonly Family[] = [
  { name: 'devanagari', letters: /\p{scx=Deva}/u, file: NOTO_SANS },
  // Later releases draw a letter and its dots apart, of which a PDF cannot say what they stand for.
  { name: 'arabic', letters: /\p{scx=Arab}/u, file: embedpdf('fonts-arabic', 'NotoNaskhArabic-*.ttf') },
  { name: 'hebrew', letters: /\p{scx=Hebr}/u, file: google('noto-sans-hebrew', 'NotoSansHebrew') },
  { name: 'thai', letters: /\p{scx=Thai}/u, file: google('noto-sans-thai', 'NotoSansThai') },
  { name: 'lao', letters: /\p{scx=Laoo}/u, file: google('noto-sans-lao', 'NotoSansLao') },
  { name: 'khmer', letters: /\p{scx=Khmr}/u, file: google('noto-sans-khmer', 'NotoSansKhmer') },
  { name: 'myanmar', letters: /\p{scx=Mymr}/u, file: google('noto-sans-myanmar', 'NotoSansMyanmar') },
  { name: 'bengali', letters: /\p{scx=Beng}/u, file: google('noto-sans-bengali', 'NotoSansBengali') },
  { name: 'gurmukhi', letters: /\p{scx=Guru}/u, file: google('noto-sans-gurmukhi', 'NotoSansGurmukhi') },
  { name: 'gujarati', letters: /\p{scx=Gujr}/u, file: google('noto-sans-gujarati', 'NotoSansGujarati') },
  { name: 'oriya', letters: /\p{scx=Orya}/u, file: google('noto-sans-oriya', 'NotoSansOriya') },
  { name: 'tamil', letters: /\p{scx=Taml}/u, file: google('noto-sans-tamil', 'NotoSansTamil') },
  { name: 'telugu', letters: /\p{scx=Telu}/u, file: google('noto-sans-telugu', 'NotoSansTelugu') },
  { name: 'kannada', letters: /\p{scx=Knda}/u, file: google('noto-sans-kannada', 'NotoSansKannada') },
  { name: 'malayalam', letters: /\p{scx=Mlym}/u, file: google('noto-sans-malayalam', 'NotoSansMalayalam') },
  { name: 'sinhala', letters: /\p{scx=Sinh}/u, file: google('noto-sans-sinhala', 'NotoSansSinhala') },
  { name: 'tibetan', letters: /\p{scx=Tibt}/u, file: google('noto-serif-tibetan', 'NotoSerifTibetan') },
  { name: 'georgian', letters: /\p{scx=Geor}/u, file: google('noto-sans-georgian', 'NotoSansGeorgian') },
  { name: 'armenian', letters: /\p{scx=Armn}/u, file: google('noto-sans-armenian', 'NotoSansArmenian') },
  { name: 'ethiopic', letters: /\p{scx=Ethi}/u, file: google('noto-sans-ethiopic', 'NotoSansEthiopic') },
  { name: 'thaana', letters: /\p{scx=Thaa}/u, file: google('noto-sans-thaana', 'NotoSansThaana') },
  { name: 'latin', file: NOTO_SANS },
  { name: 'sc', file: embedpdf('fonts-sc', 'NotoSansHans-*.otf') },
  { name: 'kr', file: embedpdf('fonts-kr', 'NotoSansKR-*.otf') },
];
