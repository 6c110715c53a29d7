import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client';
import type { Invoice } from '../../../api/records';
import { useCan } from '../../../api/session';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { NewClaim } from './claim-form';
import { ClaimSection } from './claim-section';

/** An invoice with one of these statuses owes nothing. */
const CLOSED: readonly Invoice['status'][] = ['void', 'cancelled', 'paid'];
/** A claim with one of these statuses has ended, so the invoice can have another claim. */
const ENDED = ['paid', 'expired', 'withdrawn'];

/** The claims on motor clubs for an invoice, the newest first. */
export function ClaimsTab({ invoice }: { invoice: Invoice }) {
  const [isCreating, setCreating] = useState(false);
  const canWrite = useCan('write');
  const query = { invoice_id: invoice.id, limit: 200 };
  const { data, error, refetch } = api.useQuery('get', '/claims', { params: { query } });
  if (!data && error) return <ProblemAlert problem={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={3} />;
  const claims = data.data.items;
  const mayCreate =
    canWrite && !CLOSED.includes(invoice.status) && claims.every(({ status }) => ENDED.includes(status));
  return (
    <Stack gap="lg">
      {claims.length === 0 && (
        <Text c="dimmed">
          No motor club is billed for this invoice. If a club pays it, make a claim: the claim keeps the
          deadlines and what the club decides.
        </Text>
      )}
      {mayCreate && (
        <Group>
          <Button variant="default" onClick={() => setCreating(true)}>
            New claim
          </Button>
        </Group>
      )}
      {claims.map((claim) => (
        <ClaimSection key={claim.id} claim={claim} invoice={invoice} />
      ))}
      {isCreating && <NewClaim invoice={invoice} onClose={() => setCreating(false)} />}
    </Stack>
  );
}
