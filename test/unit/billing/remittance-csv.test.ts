import { expect } from 'chai';
import { parseCsv } from '../../../shared/resources/remittances/csv/parse-csv.js';
import { parseDollars, readCsvLines } from '../../../shared/resources/remittances/csv/read-lines.js';

const readLines = (csv: string) => {
  const read = readCsvLines(csv);
  if ('faults' in read) throw new Error(JSON.stringify(read.faults));
  return read.lines;
};
const readFaults = (csv: string) => {
  const read = readCsvLines(csv);
  return 'faults' in read ? read.faults.map(({ message }) => message) : [];
};

describe('the CSV of a remittance', () => {
  it('reads quoted cells, with separators, quotes and newlines inside, and counts lines of text', () => {
    expect(parseCsv('a,b\r\n"x, ""y""\r\nz",2\r\n\r\n,\n3,')).to.deep.equal([
      { textLine: 1, cells: ['a', 'b'] },
      { textLine: 2, cells: ['x, "y"\r\nz', '2'] },
      { textLine: 6, cells: ['3', ''] },
    ]);
    expect(parseCsv('a,b\n1,"2\n3')).to.deep.equal({ unclosedAt: 2 });
    expect(parseCsv('')).to.deep.equal([]);
  });

  it('refuses an amount with a thousands separator without quotes, and text after a quoted cell', () => {
    expect(readFaults('PO,Amount\nP-1,1,234.50')).to.deep.equal([
      'Line 2 of csv: it has 3 cells, but 2 columns are named; put a value with a separator in it into quotes',
    ]);
    expect(readLines('PO,Amount\nP-1,"1,234.50",,\n')[0]?.amount_cents).to.equal(123_450);
    expect(readFaults('PO,Amount\nP-1,"100".50')).to.deep.equal([
      'Line 2 of csv: more text follows the end of a quoted cell',
    ]);
  });

  it('names a bounded number of faults of the columns, each with the beginning of a name', () => {
    const faults = readFaults(`PO,amt${'#'.repeat(10_000)},${'amt,'.repeat(2_000)}\n`);
    expect(faults).to.have.length(50);
    expect(faults[0]).to.have.length.below(200);
  });

  for (const [amount, cents] of [
    ['$1,234.50', 123_450],
    ['1234.5', 123_450],
    ['12', 1200],
    ['.75', 75],
    ['USD 7', 700],
    ['(5.00)', -500],
    ['-$5', -500],
    ['0', 0],
    ['($0.00)', 0],
  ] as const)
    it(`reads the amount ${amount} as ${cents} cents`, () => {
      expect(parseDollars(amount)).to.equal(cents);
    });

  for (const amount of ['', '12,5', '1,23', '1.234', '1e3', '12.', 'free', '--5', '$', '١٢'])
    it(`reads "${amount}" as no amount`, () => {
      expect(parseDollars(amount)).to.equal(undefined);
    });

  for (const header of [
    'PO,Invoice,Amount,Note',
    'PO #,Invoice #,Amount Paid,Comments',
    'P.O. Number,Inv. No.,Net Paid,Memo',
    'purchase order;INVOICE_NUMBER;payment ($);remarks',
    'po_number\tinvoice number\tAMT\treason',
  ])
    it(`understands the columns ${JSON.stringify(header)}`, () => {
      const separator = header.includes(';') ? ';' : header.includes('\t') ? '\t' : ',';
      const row = ['PO-7', 'INV-7', '"$1,000.00"', 'Cap'].join(separator);
      expect(readLines(`${header}\n${row}\n`)).to.deep.equal([
        { po_number: 'PO-7', invoice_number: 'INV-7', amount_cents: 100_000, note: 'Cap' },
      ]);
    });

  it('ignores other columns, empty rows and the sequence of the columns', () => {
    expect(readLines('Date,Amount,Driver,PO\n11/20,5,Sam,A\n\n,,,\n11/21,6,Lee,\n')).to.deep.equal([
      { po_number: 'A', invoice_number: null, amount_cents: 500, note: null },
      { po_number: null, invoice_number: null, amount_cents: 600, note: null },
    ]);
  });

  it('names the line of each fault', () => {
    expect(readFaults('PO,Amount\nA,5\n"B\nB",x\nC,\n')).to.deep.equal([
      'Line 3 of csv: "x" is no amount in dollars; write it as 1,234.50',
      'Line 5 of csv: the amount is empty; write it as 1,234.50',
    ]);
    expect(readFaults(`PO,Amount\n${'P'.repeat(65)},5`)[0]).to.match(/^Line 2 of csv: po_number .* 64/);
    expect(readFaults('PO,Amount,Amount Paid\nA,5,5')).to.deep.equal([
      'Line 1 of csv: both Amount and Amount Paid could be an amount; rename the one that is not',
    ]);
    expect(readFaults('Job,Total\nA,5')).to.deep.equal([
      'Line 1 of csv: no column is an amount; name it Amount, or Amount Paid',
      'Line 1 of csv: no column is a PO or an invoice number; name it PO, or Invoice',
    ]);
    expect(readFaults('PO,Amount\nA,"5')).to.deep.equal([
      'Line 2 of csv: a quoted cell begins here and does not end',
    ]);
    expect(readFaults('PO,Amount')).to.deep.equal([
      'Line 1 of csv: no line follows the names of the columns',
    ]);
    expect(readFaults('')).to.deep.equal(['Line 1 of csv: the columns are not named']);
  });

  it('takes 500 lines and refuses the next one by its line', () => {
    const list = (count: number) => `PO,Amount\n${'A,1\n'.repeat(count)}`;
    expect(readLines(list(500))).to.have.length(500);
    expect(readFaults(list(501))).to.deep.equal([
      'Line 502 of csv: a remittance has at most 500 lines; split the list',
    ]);
  });
});
