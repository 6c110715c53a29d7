import { extractText, getDocumentProxy, getResolvedPDFJS } from 'unpdf';

export async function extractPdfPages(bytes: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
  return text;
}

/**
 * Counts the letters and pictures on a PDF's first page. `missing` counts those letters for which
 * the font has no glyph.
 */
export async function countPdfDrawing(
  bytes: Uint8Array,
): Promise<{ letters: number; missing: number; pictures: number }> {
  const { OPS } = await getResolvedPDFJS();
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { fnArray, argsArray } = await (await document.getPage(1)).getOperatorList();
  const drawing = { letters: 0, missing: 0, pictures: 0 };
  for (const [index, operation] of fnArray.entries()) {
    if (operation === OPS.paintImageXObject) drawing.pictures += 1;
    if (operation !== OPS.showText) continue;
    for (const glyph of argsArray[index][0] as (number | { originalCharCode: number })[]) {
      // A number only moves the pen.
      if (typeof glyph === 'number') continue;
      drawing.letters += 1;
      // Every font draws glyph 0 (`.notdef`) for a missing glyph. In a subset of the font, this
      // glyph keeps the number 0.
      if (glyph.originalCharCode === 0) drawing.missing += 1;
    }
  }
  return drawing;
}
