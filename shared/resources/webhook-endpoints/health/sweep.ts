import type { Command, CommandDefinition } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../../records/sweeps/sweep-round-robin.js';
import {
  disableEndpoint,
  probeEndpoint,
  recordEndpointRecovery,
  recordExhausted,
  reenableEndpoint,
  warnAboutEndpoint,
} from './commands.js';
import { type HealthStep, IS_EXHAUSTED_NOTICE_DUE_SQL, MAY_HAVE_STEP_SQL, NEXT_STEP_SQL } from './rules.js';

const COMMAND_BY_STEP: Readonly<Record<HealthStep, CommandDefinition>> = {
  disable: disableEndpoint,
  recover: recordEndpointRecovery,
  warn: warnAboutEndpoint,
  heal: reenableEndpoint,
  probe: probeEndpoint,
};

interface FoundRow extends ClockTarget {
  step: HealthStep | null;
  tells_exhausted: boolean;
}

/**
 * Finds the endpoints of this transaction's tenants that need a health step or a notice, and
 * returns their commands. If a second sweep finds an endpoint before the first command has run, the
 * second command changes nothing. Accounts share the limit round-robin.
 * @param limit is the maximum number of endpoints, which keeps one sweep short
 */
export async function findHealthSteps(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<FoundRow>(tx, {
    name: 'sweep-endpoints',
    rows: `select e.tenant_id, e.id, s.step, s.tells_exhausted
           -- The offset makes PostgreSQL read webhook_lanes first. Most rows have no step, so their endpoints are never read.
           from (select * from webhook_lanes l where l.tenant_id = t.tenant_id and ${MAY_HAVE_STEP_SQL} offset 0) l
           join webhook_endpoints e on e.tenant_id = l.tenant_id and e.id = l.endpoint_id
           cross join lateral (select ${NEXT_STEP_SQL} as step, ${IS_EXHAUSTED_NOTICE_DUE_SQL} as tells_exhausted) s
           where s.step is not null or s.tells_exhausted`,
    limit,
  });
  return rows.flatMap((row) => [
    ...(row.step ? [buildClockCommand(COMMAND_BY_STEP[row.step], row)] : []),
    ...(row.tells_exhausted ? [buildClockCommand(recordExhausted, row)] : []),
  ]);
}

/** Warns about failing endpoints, disables and probes them, and enables them again. */
export const endpointHealthSweep: CommandSweep = {
  name: 'watch-endpoints',
  everyMs: 5_000,
  find: findHealthSteps,
};
