import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite, type Write } from '../../../api/use-write';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';
import { useEdits } from '../../../parts/dialogs/use-edits';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { MoneyField } from '../../../parts/values/money-field';
import type { Claim } from './claim-actions';
import { ClaimFacts } from './claim-facts';
import { type Evidence, EvidenceFields } from './evidence-fields';
import { mergeEvidence } from './merge-evidence';

/** The amount is undefined while the field has no valid amount. */
interface Draft {
  club: string;
  provider_id: string | null;
  po_number: string | null;
  expected_cents: number | undefined;
  evidence: Evidence[];
}

const FIELDS = ['club', 'provider_id', 'po_number', 'expected_cents', 'evidence'];

/** Makes a claim on a motor club for the invoice. It is not sent before a person submits it. */
export function NewClaim({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    club: '',
    provider_id: null,
    po_number: invoice.po_number,
    expected_cents: invoice.balance_due_cents,
    evidence: [],
  });
  const write = useWrite(
    (header, body: Schemas['ClaimCreate']) => client.POST('/claims', { params: { header }, body }),
    { done: 'The claim is made' },
  );
  const submit = async () => {
    const body = { ...draft, invoice_id: invoice.id } as Schemas['ClaimCreate'];
    if (await write.run(body)) onClose();
  };
  return (
    <FormDialog
      title={`New claim for ${invoice.invoice_number}`}
      submitLabel="Create claim"
      fields={listFields(draft)}
      write={write}
      size="lg"
      isLong
      canSubmit={draft.expected_cents !== undefined}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">The club gets nothing yet. The claim waits until you submit it.</Text>
          <ClaimFields
            draft={draft}
            errors={errors}
            write={write}
            onEdit={(patch) => setDraft((before) => ({ ...before, ...patch }))}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Changes what the claim says. The club gets the change when the claim is sent the next time. */
export function CorrectClaim({
  claim,
  invoice,
  onClose,
}: {
  claim: Claim;
  invoice: Invoice;
  onClose: () => void;
}) {
  const { opened, onProblem } = useOpenedVersion(claim);
  const { draft, edits, edit } = useEdits<Draft>(opened);
  const write = useWrite(
    (headers, body: Partial<Draft>) =>
      client.PATCH('/claims/{id}', {
        params: { path: { id: claim.id }, header: { ...headers, ...ifMatch(opened) } },
        body: body as Schemas['ClaimPatch'],
      }),
    { done: 'The claim is corrected', onProblem },
  );
  const [merged, setMerged] = useState(opened.evidence);
  // The evidence is sent as one list, so a list of before the refusal would drop what is new.
  if (opened.evidence !== merged) {
    setMerged(opened.evidence);
    if (draft.evidence !== opened.evidence)
      edit({ evidence: mergeEvidence(merged, opened.evidence, draft.evidence) });
  }
  const submit = async () => {
    if (Object.keys(edits).length === 0 || (await write.run(edits))) onClose();
  };
  const isSent = ['submitted', 'accepted', 'short_paid'].includes(opened.status);
  return (
    <FormDialog
      title={`Correct the claim on ${opened.club}`}
      submitLabel="Save"
      fields={listFields(draft)}
      write={write}
      size="lg"
      isLong
      canSubmit={draft.expected_cents !== undefined}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <ClaimFacts claim={opened} invoice={invoice} />
          <Text size="sm">
            {isSent
              ? 'The club keeps what it got. The change is only stored here.'
              : 'The club gets the corrected claim once you send it.'}
          </Text>
          <ClaimFields draft={draft} errors={errors} write={write} onEdit={edit} />
        </>
      )}
    </FormDialog>
  );
}

/** The names of the fields, so that a fault of a piece of evidence appears beside its field. */
function listFields({ evidence }: Draft): string[] {
  return [
    ...FIELDS,
    ...evidence.flatMap((_, index) => [
      `evidence[${index}].kind`,
      `evidence[${index}].url`,
      `evidence[${index}].note`,
    ]),
  ];
}

function ClaimFields({
  draft,
  errors,
  write,
  onEdit,
}: {
  draft: Draft;
  errors: FieldErrors;
  write: Pick<Write<never, unknown>, 'problem' | 'reset'>;
  onEdit: (patch: Partial<Draft>) => void;
}) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          data-autofocus
          label="Motor club"
          required
          maxLength={200}
          value={draft.club}
          error={errors.club}
          onChange={(event) => onEdit({ club: event.currentTarget.value })}
        />
        <TextInput
          label="Your provider number"
          maxLength={64}
          value={draft.provider_id ?? ''}
          error={errors.provider_id}
          onChange={(event) => onEdit({ provider_id: event.currentTarget.value || null })}
        />
        <TextInput
          label="PO number"
          maxLength={64}
          value={draft.po_number ?? ''}
          error={errors.po_number}
          onChange={(event) => onEdit({ po_number: event.currentTarget.value || null })}
        />
        <MoneyField
          label="Expected amount"
          required
          cents={draft.expected_cents}
          error={errors.expected_cents}
          onCents={(cents) => onEdit({ expected_cents: cents })}
        />
      </SimpleGrid>
      <EvidenceFields
        evidence={draft.evidence}
        errors={errors}
        onEvidence={(evidence) => {
          // A fault names a piece by its place, and the places have changed.
          const isMoved = evidence.length !== draft.evidence.length;
          if (isMoved && write.problem && !write.problem.isStale) write.reset();
          onEdit({ evidence });
        }}
      />
    </>
  );
}
