/** Opens CSV in LibreOffice as a person would, to show how a spreadsheet reads the cells. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * True if the tests must skip LibreOffice because it is not installed. CI installs it and never
 * skips.
 */
export const IS_SPREADSHEET_MISSING =
  spawnSync('soffice', ['--version']).status !== 0 && process.env.CI !== 'true';

/**
 * LibreOffice's least careful import options (help.libreoffice.org, "Filter Options for CSV
 * Import"). The separator is a comma, the quote is `"`, the encoding is UTF-8, and the language is
 * that of the machine. Quoted cells may become numbers, special numbers such as dates are detected,
 * and formulas are evaluated.
 */
const CARELESS_IMPORT = 'CSV:44,34,76,1,,0,false,true,false,false,false,-1,true';

interface Sheet {
  /** The formulas of the cells that LibreOffice read as formulas, in LibreOffice's notation. */
  formulas: string[];
  /**
   * The numbers of the cells that LibreOffice read as numbers, in order. Adjacent equal numbers
   * appear once, because LibreOffice stores them as one repeated cell.
   */
  numbers: number[];
  /** The text cells. The lines of a cell are joined by line feeds. */
  texts: string[];
}

/** Opens CSV in LibreOffice with a new user profile, and returns the resulting cells. */
export async function openInSpreadsheet(csv: string | Buffer): Promise<Sheet> {
  const folder = await mkdtemp(join(tmpdir(), 'tow-sheet-'));
  try {
    await writeFile(join(folder, 'file.csv'), csv);
    await convert(folder);
    return readCells(await readFile(join(folder, 'file.fods'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function convert(folder: string): Promise<void> {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const args = [
    profile,
    '--headless',
    `--infilter=${CARELESS_IMPORT}`,
    '--convert-to',
    'fods',
    '--outdir',
    folder,
  ];
  const child = spawn('soffice', [...args, join(folder, 'file.csv')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderrChunks: Buffer[] = [];
  child.stderr.on('data', (piece: Buffer) => void stderrChunks.push(piece));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`soffice ended with ${code}: ${Buffer.concat(stderrChunks)}`);
}

function readCells(xml: string): Sheet {
  const [, table = ''] = /<table:table (.*?)<\/table:table>/s.exec(xml) ?? [];
  const sheet: Sheet = { formulas: [], numbers: [], texts: [] };
  for (const [, attributes = '', content = ''] of table.matchAll(
    /<table:table-cell\b([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs,
  )) {
    const value = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
    const formula = value('table:formula');
    if (formula !== undefined) sheet.formulas.push(formula);
    else if (value('office:value-type') === 'float') sheet.numbers.push(Number(value('office:value')));
    else if (value('office:value-type') === 'string') sheet.texts.push(readText(content));
  }
  return sheet;
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function readText(content: string): string {
  const paragraphs = [...content.matchAll(/<text:p(?:\/>|>(.*?)<\/text:p>)/gs)].map(([, text = '']) => text);
  return paragraphs
    .join('\n')
    .replaceAll('<text:tab/>', '\t')
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
