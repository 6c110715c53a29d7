export const edits = [
  {
    file: 'shared/resources/work-orders/fields.ts',
    before: '});\n',
    add: '  gate_code: optionalText(32, { freeText: true }),\n',
  },
  {
    file: 'migrations/index.ts',
    before: '\ninterface Migration {',
    add: "import * as addGateCodes from './20990101000000_add_gate_codes.js';\n",
  },
  {
    file: 'migrations/index.ts',
    before: '];\n',
    add: "  { name: '20990101000000_add_gate_codes', ...addGateCodes },\n",
  },
];
