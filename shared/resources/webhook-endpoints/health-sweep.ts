import type { Command, CommandDefinition } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { type ClockTarget, clockCommand } from '../clock-command.js';
import { findInTurns } from '../sweep-turns.js';
import {
  disableEndpoint,
  healEndpoint,
  noteEndpointRecovery,
  probeEndpoint,
  recordExhausted,
  warnOfEndpoint,
} from './health-commands.js';
import { type HealthStep, MAY_HAVE_STEP, NEXT_STEP, TELLS_EXHAUSTED } from './health-rules.js';

const COMMAND_BY_STEP: Readonly<Record<HealthStep, CommandDefinition>> = {
  disable: disableEndpoint,
  recover: noteEndpointRecovery,
  warn: warnOfEndpoint,
  heal: healEndpoint,
  probe: probeEndpoint,
};

interface FoundRow extends ClockTarget {
  step: HealthStep | null;
  tells_exhausted: boolean;
}

/**
 * Finds the endpoints of this transaction's tenants that need a health step or a notice, and
 * returns their commands. If a second sweep finds an endpoint before the first command ran, the
 * second command changes nothing. Accounts share the limit round-robin.
 * @param limit maximum number of endpoints, to keep one sweep short
 */
export async function findHealthSteps(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findInTurns<FoundRow>(tx, {
    name: 'sweep-endpoints',
    rows: `select e.tenant_id, e.id, s.step, s.tells_exhausted
           -- The offset makes PostgreSQL read webhook_lanes first. Most rows have no step, so their endpoints are never read.
           from (select * from webhook_lanes l where l.tenant_id = t.tenant_id and ${MAY_HAVE_STEP} offset 0) l
           join webhook_endpoints e on e.tenant_id = l.tenant_id and e.id = l.endpoint_id
           cross join lateral (select ${NEXT_STEP} as step, ${TELLS_EXHAUSTED} as tells_exhausted) s
           where s.step is not null or s.tells_exhausted`,
    limit,
  });
  return rows.flatMap((row) => [
    ...(row.step ? [clockCommand(COMMAND_BY_STEP[row.step], row)] : []),
    ...(row.tells_exhausted ? [clockCommand(recordExhausted, row)] : []),
  ]);
}
