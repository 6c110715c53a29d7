/** Shows how a spreadsheet, LibreOffice, reads a CSV file that a person opens. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tests skip LibreOffice if it is missing. CI installs it. */
export const IS_SPREADSHEET_MISSING =
  spawnSync('soffice', ['--version']).status !== 0 && process.env.CI !== 'true';

/**
 * Comma, quote, UTF-8, from line 1, no columns named, language of the machine. Quoted cells may
 * become numbers, special numbers are recognised, and formulas are evaluated. This is the least
 * careful way to open a file (help.libreoffice.org, "Filter Options for CSV Import").
 */
const CARELESS_IMPORT = 'CSV:44,34,76,1,,0,false,true,false,false,false,-1,true';

interface Sheet {
  /** Every cell that LibreOffice read as a formula, in its own notation. */
  formulas: string[];
  /** Every number, in the sequence of the cells. Equal numbers side by side appear once. */
  numbers: number[];
  /** Every text, with its lines joined by a line feed. */
  texts: string[];
}

/** Opens a CSV file in LibreOffice with a new profile, and reads the resulting cells. */
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
