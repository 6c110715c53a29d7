import { Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { Select } from '../../../parts/choices/select';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { DENIAL_OPTIONS } from '../../../parts/record/denial-words';
import { formatCents, Money } from '../../../parts/values/money';
import { MoneyField } from '../../../parts/values/money-field';
import { type Claim, listDecisions } from './claim-actions';
import { ClaimFacts } from './claim-facts';

type Outcome = Schemas['ClaimOutcome'];
type Decision = Outcome['outcome'];
type Draft = Pick<Outcome, 'code' | 'reason' | 'reference' | 'amount_cents'>;

const LABELS: Readonly<Record<Decision, string>> = {
  accepted: 'It accepts the claim, and will pay',
  denied: 'It denies the claim',
  paid: 'It has paid',
};

/** Records what the club decided: that it will pay, that it has paid, or why it pays nothing. */
export function OutcomeDialog({
  claim: newest,
  invoice,
  onClose,
}: {
  claim: Claim;
  invoice: Invoice;
  onClose: () => void;
}) {
  const { opened: claim, onProblem } = useOpenedVersion(newest);
  const decisions = listDecisions(claim);
  const [chosen, setChosen] = useState<Decision>();
  // The only possible decision is never put in the place of one that the person has made.
  const decision = chosen ?? (decisions.length === 1 ? decisions[0] : undefined);
  const isPossible = decision !== undefined && decisions.includes(decision);
  const missing = Math.max(0, claim.expected_cents - claim.paid_cents);
  const [typed, setTyped] = useState<Draft>({});
  const draft: Draft = { ...(missing > 0 ? { amount_cents: missing } : {}), ...typed };
  const write = useWrite(
    (headers, body: Outcome) =>
      client.POST('/claims/{id}/outcome', {
        params: { path: { id: claim.id }, header: { ...headers, ...ifMatch(claim) } },
        body,
      }),
    { done: "The club's decision is recorded", onProblem },
  );
  const submit = async () => {
    if (isPossible && (await write.run(buildOutcome(decision, draft)))) onClose();
  };
  return (
    <FormDialog
      title={`Record the decision of ${claim.club}`}
      submitLabel="Record decision"
      fields={['outcome', 'code', 'reason', 'amount_cents', 'reference']}
      write={write}
      canSubmit={isPossible}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <ClaimFacts
            claim={claim}
            invoice={invoice}
            more={claim.paid_cents > 0 ? { Paid: <Money cents={claim.paid_cents} /> } : {}}
          />
          {claim.connection_id && (
            <Text size="sm">
              The billing partner reports the club's decision by itself. Record it here only if the partner
              will not report it.
            </Text>
          )}
          {decision && !isPossible && (
            <Text size="sm">
              {decisions.length > 0
                ? `“${LABELS[decision]}” cannot be recorded for the changed claim. If the club has decided something else, choose it.`
                : 'The claim has changed, and takes no decision. Close this form.'}
            </Text>
          )}
          {(decisions.length > 1 || (chosen !== undefined && decisions.length > 0)) && (
            <Radio.Group
              label="What the club decided"
              required
              value={isPossible ? decision : ''}
              error={errors.outcome}
              onChange={(value) => setChosen(value as Decision)}
            >
              <Stack gap="xs" mt={4}>
                {decisions.map((value) => (
                  <Radio key={value} value={value} label={LABELS[value]} />
                ))}
              </Stack>
            </Radio.Group>
          )}
          {isPossible && (
            <DecisionFields
              decision={decision}
              draft={draft}
              onEdit={(patch) => setTyped((before) => ({ ...before, ...patch }))}
              errors={errors}
            />
          )}
          {isPossible && <Text size="sm">{describeEffect(decision, draft, missing)}</Text>}
        </>
      )}
    </FormDialog>
  );
}

/** Leaves out the fields of other decisions, which may have been typed before. */
function buildOutcome(outcome: Decision, { code, reason, amount_cents, reference }: Draft): Outcome {
  if (outcome === 'accepted') return { outcome, reason: reason?.trim() || null };
  if (outcome === 'denied') return { outcome, code: code ?? null, reason: reason?.trim() || null };
  return {
    outcome,
    ...(amount_cents === undefined ? {} : { amount_cents }),
    reference: reference?.trim() || null,
  };
}

function DecisionFields({
  decision,
  draft,
  onEdit,
  errors,
}: {
  decision: Decision;
  draft: Draft;
  onEdit: (patch: Draft) => void;
  errors: FieldErrors;
}) {
  if (decision === 'paid')
    return (
      <>
        <MoneyField
          label="Amount"
          required
          cents={draft.amount_cents}
          onCents={(cents) => onEdit({ amount_cents: cents } as Draft)}
          error={errors.amount_cents}
        />
        <TextInput
          label="Check or transfer number"
          maxLength={200}
          value={draft.reference ?? ''}
          error={errors.reference}
          onChange={(event) => onEdit({ reference: event.currentTarget.value })}
        />
      </>
    );
  return (
    <>
      {decision === 'denied' && (
        <Select
          label="Why"
          placeholder="Another reason"
          clearable
          data={DENIAL_OPTIONS}
          value={draft.code ?? null}
          error={errors.code}
          onChange={(code) => onEdit({ code })}
        />
      )}
      <Textarea
        label="The club's own words"
        autosize
        minRows={2}
        maxLength={2000}
        value={draft.reason ?? ''}
        error={errors.reason}
        onChange={(event) => onEdit({ reason: event.currentTarget.value })}
      />
    </>
  );
}

function describeEffect(decision: Decision, { amount_cents: cents }: Draft, missing: number): string {
  if (decision === 'accepted') return 'The claim waits for the payment.';
  if (decision === 'denied')
    return 'If the records have what the club misses, the claim is corrected and sent again by itself. Otherwise the invoice waits for a review, and a suggestion says what to do.';
  if (cents === undefined) return 'The amount becomes a payment of the invoice.';
  const rest = missing - cents;
  return rest > 0
    ? `${formatCents(cents)} becomes a payment of the invoice. The claim stays short paid by ${formatCents(rest)}.`
    : `${formatCents(cents)} becomes a payment of the invoice, and the claim is paid.`;
}
