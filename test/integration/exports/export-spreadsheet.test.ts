import { expect } from 'chai';
import {
  AWKWARD_TEXTS,
  buildExportRequest,
  parseCsv,
  unzip,
  writeExportToBuffer,
} from '../../support/exports/export-files.js';
import { IS_SPREADSHEET_MISSING, openInSpreadsheet } from '../../support/exports/spreadsheet.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

/** Matches a cell that would start a formula, and that the export escaped with an apostrophe. */
const ESCAPED_FORMULA = /^'[=+\-@\t\r\n＝＋－＠]/;

describe('CSV exports in a spreadsheet', () => {
  const stack = useStack();
  let files: Map<string, Buffer>;

  before(async function () {
    if (IS_SPREADSHEET_MISSING) this.skip();
    const tenant = await stack.createTenant('Sheets Towing');
    for (const text of AWKWARD_TEXTS) {
      const lineItems = [
        lineItem({ unit_price_cents: 12_345 }),
        lineItem({ category: 'discount', unit_price_cents: -5 }),
      ];
      const response = await tenant.client.post('/invoices', invoiceInput({ line_items: lineItems }));
      expect(response.status, response.text).to.equal(201);
      const values = [tenant.id, response.body.id, text];
      await stack.rows(
        tenant.id,
        'update invoices set notes = $3, vehicle_description = $3, po_number = $3 where tenant_id = $1 and id = $2',
        values,
      );
      await stack.rows(
        tenant.id,
        'update invoice_line_items set description = $3 where tenant_id = $1 and invoice_id = $2',
        values,
      );
    }
    const exportRequest = buildExportRequest(tenant.id, { include: ['line_items'], decimals: true });
    files = unzip((await writeExportToBuffer(stack.databaseUrl, exportRequest)).content);
  });

  for (const [name, column] of [
    ['invoices.csv', 'notes'],
    ['invoice_line_items.csv', 'description'],
  ] as const) {
    it(`a spreadsheet runs no formula from ${name} and shows its texts`, async () => {
      const content = files.get(name) as Buffer;
      const sheet = await openInSpreadsheet(content);
      expect(sheet.formulas).to.deep.equal([]);
      const escaped = parseCsv(content)
        .map((row) => row[column] ?? '')
        .filter((cell) => ESCAPED_FORMULA.test(cell));
      expect(escaped).to.have.length.above(10);
      // A spreadsheet reads CR LF and CR as LF.
      for (const cell of escaped) expect(sheet.texts).to.include(cell.replace(/\r\n?/g, '\n'));
    });
  }

  it('a spreadsheet reads amounts as numbers, including negative ones', async () => {
    const { numbers } = await openInSpreadsheet(files.get('invoice_line_items.csv') as Buffer);
    for (const amount of [12_345, 123.45, -5, -0.05]) expect(numbers).to.include(amount);
  });

  it('a spreadsheet would run the formulas without the apostrophe', async () => {
    const unescaped = String(files.get('invoices.csv')).replace(/(^|[,"])'([=+\-@])/gm, '$1$2');
    const { formulas } = await openInSpreadsheet(unescaped);
    expect(formulas).to.include('of:=1+1').and.to.have.length.above(3);
  });
});
