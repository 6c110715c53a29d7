import { defineCommand } from '../../contracts/command.js';
import type { RemittanceLinePatch } from '../../contracts/generated.js';
import { remittanceLinePatch } from './schema.js';

/** Names the claim of a line, or ignores the line. */
export const updateRemittanceLine = defineCommand<RemittanceLinePatch>({
  type: 'remittance_line.update',
  action: 'remittance_line.updated',
  schema: remittanceLinePatch,
  permission: 'write',
});
