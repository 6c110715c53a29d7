import { Radio, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { api, client, ifMatch } from '../../api/client';
import type { Schemas } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { Select } from '../../parts/choices/select';
import { FormDialog } from '../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../parts/dialogs/use-opened-version';
import { humanize } from '../../parts/record/status-badge';
import { formatCents } from '../../parts/values/money';

type Line = Schemas['RemittanceLine'];
type Decision = 'claim' | 'ignore' | 'match';

const DECISIONS: readonly { value: Decision; label: string }[] = [
  { value: 'claim', label: 'Name the claim that the club pays' },
  { value: 'ignore', label: 'Ignore the line' },
  { value: 'match', label: 'Match it by PO and invoice number again' },
];

/** Names the claim of a line, or ignores the line, or takes such a decision back. */
export function LineDialog({ line: listed, onClose }: { line: Line; onClose: () => void }) {
  const params = { path: { id: listed.id } };
  const newest = api.useQuery('get', '/remittance-lines/{id}', { params }).data ?? listed;
  const { opened: line, onProblem } = useOpenedVersion(newest);
  const [decision, setDecision] = useState<Decision>('claim');
  const [claimId, setClaimId] = useState<string | null>(line.is_claim_named ? line.claim_id : null);
  const [reason, setReason] = useState(line.ignored_reason ?? '');
  const write = useWrite(
    (headers, body: Schemas['RemittanceLinePatch']) =>
      client.PATCH('/remittance-lines/{id}', {
        params: { ...params, header: { ...headers, ...ifMatch(line) } },
        body,
      }),
    { done: `Line ${line.position} decided`, onProblem },
  );
  const bodies: Record<Decision, Schemas['RemittanceLinePatch']> = {
    claim: { claim_id: claimId, ignored_reason: null },
    ignore: { ignored_reason: reason.trim() },
    match: { claim_id: null, ignored_reason: null },
  };
  const submit = async () => {
    if (await write.run(bodies[decision])) onClose();
  };
  const canSubmit =
    decision === 'match' || (decision === 'claim' ? claimId !== null : reason.trim().length > 0);
  return (
    <FormDialog
      title={`Decide on line ${line.position}`}
      submitLabel="Decide"
      fields={['claim_id', 'ignored_reason']}
      write={write}
      canSubmit={canSubmit}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text>{line.reason}</Text>
          <Radio.Group label="Decision" value={decision} onChange={(value) => setDecision(value as Decision)}>
            <Stack gap="xs" mt={4}>
              {DECISIONS.map(({ value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Stack>
          </Radio.Group>
          {decision === 'claim' && (
            <ClaimSelect value={claimId} onChange={setClaimId} error={errors.claim_id} />
          )}
          {decision === 'ignore' && (
            <Textarea
              label="Reason"
              required
              maxLength={500}
              value={reason}
              error={errors.ignored_reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Chooses a claim. The server searches by the name of the club and by PO. */
function ClaimSelect({
  value,
  onChange,
  error,
}: {
  value: string | null;
  onChange: (id: string | null) => void;
  error: string | undefined;
}) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  const isSearch = search.trim().length > 1 && !search.includes(' · ');
  const { data } = api.useQuery(
    'get',
    '/claims',
    { params: { query: { limit: 50, ...(isSearch ? { search: search.trim() } : {}) } } },
    { placeholderData: (previous) => previous },
  );
  const claims = data?.data.items ?? [];
  return (
    <Select
      label="Claim"
      placeholder="Search by PO or club"
      required
      searchable
      nothingFoundMessage="No claim has this PO or club"
      data={claims.map((claim) => ({ value: claim.id, label: nameClaim(claim) }))}
      value={value}
      onChange={onChange}
      // Show all options, because the server has already searched.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      error={error}
      comboboxProps={{ withinPortal: true }}
    />
  );
}

const nameClaim = ({ po_number: po, club, expected_cents: cents, status }: Schemas['Claim']) =>
  [po ?? 'No PO', club, formatCents(cents), humanize(status)].join(' · ');
