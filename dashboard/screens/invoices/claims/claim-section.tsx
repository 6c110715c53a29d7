import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Invoice } from '../../../api/records';
import { useMe } from '../../../api/session';
import { findDeadline } from '../../../parts/record/claim-state';
import { describeDenial } from '../../../parts/record/denial-words';
import { Facts } from '../../../parts/record/facts';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import { CLAIM_ACTIONS, type Claim, type ClaimAction, listActions, MAX_ATTEMPTS } from './claim-actions';
import { CorrectClaim } from './claim-form';
import { OutcomeDialog } from './outcome-dialog';
import { SendClaim } from './send-claim';
import { WithdrawClaim } from './withdraw-claim';

const DIALOGS = {
  outcome: OutcomeDialog,
  correct: CorrectClaim,
  withdraw: WithdrawClaim,
};

/** A claim with its state, its deadlines, and the buttons that its state and the rights allow. */
export function ClaimSection({ claim, invoice }: { claim: Claim; invoice: Invoice }) {
  const [open, setOpen] = useState<ClaimAction>();
  const permissions = useMe().data?.key.permissions ?? [];
  const actions = listActions(claim).filter((name) => permissions.includes(CLAIM_ACTIONS[name].permission));
  const close = () => setOpen(undefined);
  const Dialog = open && open !== 'submit' && open !== 'rebill' ? DIALOGS[open] : undefined;
  return (
    <Stack component="section" gap="xs" aria-label={`Claim on ${claim.club}`}>
      <Group gap="xs">
        <Title order={3} size="h5">
          {claim.club}
        </Title>
        <StatusBadge status={claim.status} />
      </Group>
      {claim.status === 'denied' && <Denied claim={claim} invoice={invoice} />}
      <Details claim={claim} />
      <Group gap="xs">
        {actions.map((name) => (
          <Button
            key={name}
            size="xs"
            variant={CLAIM_ACTIONS[name].isMain ? 'filled' : 'default'}
            onClick={() => setOpen(name)}
          >
            {CLAIM_ACTIONS[name].label}
          </Button>
        ))}
      </Group>
      {(open === 'submit' || open === 'rebill') && (
        <SendClaim claim={claim} invoice={invoice} action={open} onClose={close} />
      )}
      {Dialog && <Dialog claim={claim} invoice={invoice} onClose={close} />}
    </Stack>
  );
}

/** Why the club denied the claim, and what to do next. */
function Denied({ claim, invoice }: { claim: Claim; invoice: Invoice }) {
  const { meaning, advice } = describeDenial(claim.denial_code);
  const isLast = claim.attempt >= MAX_ATTEMPTS;
  return (
    <Alert
      color="red"
      variant="outline"
      icon={<CircleAlert size={18} aria-hidden />}
      title={`Denied: ${meaning}`}
    >
      {claim.denial_reason && <Text size="sm">The club wrote: “{claim.denial_reason}”</Text>}
      <Text size="sm">
        {isLast
          ? `The claim was sent ${MAX_ATTEMPTS} times, which is all. Withdraw it, and bill another payer.`
          : advice}
      </Text>
      {!isLast && invoice.allowed_actions.includes('approve') && (
        <Text size="sm">The invoice waits for a review. Approve it before you bill again.</Text>
      )}
    </Alert>
  );
}

function Details({ claim }: { claim: Claim }) {
  const deadline = findDeadline(claim);
  return (
    <Facts
      items={{
        Expected: <Money cents={claim.expected_cents} />,
        Paid: <Money cents={claim.paid_cents} />,
        PO: claim.po_number,
        'Provider number': claim.provider_id,
        Attempts: `${claim.attempt} of ${MAX_ATTEMPTS}`,
        Submitted: <TimeAgo at={claim.submitted_at} />,
        ...(deadline && { [deadline.label]: <TimeAgo at={deadline.at} /> }),
        Sent: claim.connection_id ? 'By the billing partner' : 'By you, outside of the service',
        Remark: claim.status_reason ?? undefined,
        Evidence: claim.evidence.length > 0 ? <EvidenceLinks claim={claim} /> : undefined,
      }}
    />
  );
}

function EvidenceLinks({ claim: { evidence } }: { claim: Claim }) {
  return (
    <Stack gap={2}>
      {evidence.map(({ kind, url, note }, index) => (
        <Anchor
          // biome-ignore lint/suspicious/noArrayIndexKey: two items may be the same
          key={index}
          href={url}
          target="_blank"
          rel="noreferrer"
          size="sm"
        >
          {note ?? `${humanize(kind)} ${index + 1}`}
        </Anchor>
      ))}
    </Stack>
  );
}
