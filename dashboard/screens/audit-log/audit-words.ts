import type { Schemas } from '../../api/records';
import { WITHOUT_DRY_RUNS } from '../../parts/choices/audit-outcomes';

type Entry = Schemas['AuditEntry'];

const SOURCES: Readonly<Record<Entry['source'], string>> = {
  rest: 'REST, with a key',
  mcp: 'An agent tool',
  dashboard: 'The dashboard',
  webhook: 'A page behind a link, or a call from a vendor',
  job: 'The service itself, in the background',
};

const ACTORS: Readonly<Record<Entry['actor']['type'], string>> = {
  user: 'person',
  agent: 'agent',
  api_key: 'API key',
  system: 'the service',
  integration: 'connected vendor',
};

const OUTCOMES: Readonly<Record<Entry['outcome'], string>> = {
  ok: 'Done',
  denied: 'Denied',
  failed: 'Failed',
  dry_run: 'Dry run',
  held: 'Held',
};

export const OUTCOME_OPTIONS = [
  { value: WITHOUT_DRY_RUNS, label: 'All but dry runs' },
  ...Object.entries(OUTCOMES).map(([value, label]) => ({ value, label })),
];

export function describeSource(source: Entry['source']): string {
  return SOURCES[source];
}

/** Returns an actor's name and kind: "Dana Whitfield (person)". */
export function describeActor({ name, type }: Entry['actor']): string {
  return name ? `${name} (${ACTORS[type]})` : ACTORS[type];
}

/** Explains the effect of an outcome on the records. Returns undefined for the usual outcome. */
export function explainOutcome(outcome: Entry['outcome']): string | undefined {
  const texts: Partial<Record<Entry['outcome'], string>> = {
    denied: 'Nothing was changed: the actor lacks a permission or a scope.',
    failed: 'Nothing was changed: a rule refused it.',
    dry_run: 'Nothing was changed: it was checked only.',
    held: 'Nothing was changed yet: it waits for the approval of a person.',
  };
  return texts[outcome];
}

/** Returns the word for the status badge. People understand "done" better than "ok". */
export function readBadge(outcome: Entry['outcome']): string {
  return outcome === 'ok' ? 'done' : outcome;
}
