import { extractText, getDocumentProxy, getResolvedPDFJS } from 'unpdf';

export async function extractPdfPages(bytes: Uint8Array): Promise<string[]> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
  return text;
}

/** Counts letters, missing glyphs (also counted as letters) and pictures on the first page. */
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
      // A number moves the pen.
      if (typeof glyph === 'number') continue;
      drawing.letters += 1;
      // Glyph 0 of a font is .notdef, and subsets keep it at 0.
      if (glyph.originalCharCode === 0) drawing.missing += 1;
    }
  }
  return drawing;
}
