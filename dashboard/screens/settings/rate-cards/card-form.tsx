import { Alert, Checkbox, SimpleGrid, Text, TextInput } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { api, client } from '../../../api/client';
import { useTimeZone } from '../../../api/session';
import { useDryRun } from '../../../api/use-dry-run';
import { useWrite } from '../../../api/use-write';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';
import { readToday } from '../../../parts/values/zoned-time';
import {
  type CardDraft,
  type CardInput,
  createDraft,
  createNextDraft,
  isFinished,
  isMinimumValid,
  type RateCard,
  toInput,
} from './card-draft';
import { collectErrors, listFields } from './card-faults';
import { CardItems } from './card-items';

interface FormProps {
  onOpen: (id: string) => void;
  onClose: () => void;
}

/** Adds a rate card, and then opens it. An account's first default card is offered as default. */
export function NewCard(props: FormProps) {
  const today = readToday(useTimeZone());
  const query = { is_default: true, limit: 1 };
  const defaults = api.useQuery('get', '/rate-cards', { params: { query } });
  const isFirst = defaults.data?.data.items.length === 0;
  return (
    <CardForm
      {...props}
      title="New rate card"
      submitLabel="Create rate card"
      initial={{ ...createDraft(today), is_default: isFirst }}
    />
  );
}

/** Adds the next version of a rate card. The old version is never edited. */
export function SupersedeCard({ card, ...props }: FormProps & { card: RateCard }) {
  const today = readToday(useTimeZone());
  return (
    <CardForm
      {...props}
      title={`Supersede ${card.name}`}
      submitLabel={`Create version ${card.version + 1}`}
      initial={createNextDraft(card, today)}
      replaced={card}
    />
  );
}

/** @param replaced the card that gets a next version, which keeps the card's name */
function CardForm({
  title,
  submitLabel,
  initial,
  replaced,
  onOpen,
  onClose,
}: FormProps & { title: string; submitLabel: string; initial: CardDraft; replaced?: RateCard }) {
  const isNext = replaced !== undefined;
  const [first] = useState(initial);
  const [typed, setTyped] = useState<Partial<CardDraft>>({});
  // The account's other cards arrive after the form has opened, and decide this default.
  const draft: CardDraft = { ...first, is_default: initial.is_default, ...typed };
  const body = toInput(draft);
  const dryRun = useDryRun<CardInput, RateCard>(
    isFinished(draft) ? body : undefined,
    (headers, checked, signal) =>
      client.POST('/rate-cards', { params: { header: headers }, body: checked, signal }),
  );
  const write = useWrite(
    (headers, created: CardInput) =>
      client.POST('/rate-cards', { params: { header: headers }, body: created }),
    { done: ({ name, version }) => `${name}, version ${version} was created` },
  );
  // While a write runs, or may have been stored, the newer version may be the form's own.
  const mayBeOwn = write.isRunning || write.problem?.isUncertain === true;
  const isLate = !mayBeOwn && isNext && hasNewerVersion(replaced, dryRun.preview);
  const submit = async () => {
    // A write that is sent again must be the same one, whatever other cards there are by then.
    setTyped((before) => ({ ...before, is_default: draft.is_default }));
    const created = await write.run(body);
    if (!created) return;
    onClose();
    onOpen(created.id);
  };
  const change = (patch: Partial<CardDraft>) => {
    if (write.problem) write.reset();
    setTyped((before) => ({ ...before, ...patch }));
  };
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      size="64rem"
      isLong
      fields={listFields(draft)}
      write={write}
      canSubmit={!isLate && draft.items.every(isMinimumValid)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(written) => {
        const errors = collectErrors(written, dryRun.problem, draft);
        return (
          <>
            <Text size="sm">
              {isNext ? SUPERSEDES : 'The card prices work orders that are completed from its first day on.'}
            </Text>
            <CardFields draft={draft} errors={errors} onChange={change} isNext={isNext} />
            {!isNext && dryRun.isCurrent && <TakenName preview={dryRun.preview} />}
            <CardItems items={draft.items} errors={errors} onItems={(items) => change({ items })} />
            {isLate && <NewerVersion />}
          </>
        );
      }}
    </FormDialog>
  );
}

const SUPERSEDES =
  'The old version stays as it is, and prices work orders that are completed before the first day of the new one. Existing invoices do not change. Customers with this card get the new prices.';

/** True if a further version of the card would not be the next one. */
function hasNewerVersion(card: RateCard, preview: RateCard | undefined): boolean {
  return card.superseded_by !== null || (preview !== undefined && preview.version !== card.version + 1);
}

function NewerVersion() {
  return (
    <Alert
      color="yellow"
      variant="outline"
      icon={<TriangleAlert size={18} aria-hidden />}
      title="The card has a newer version since you opened this form"
    >
      <Text size="sm">
        So this form cannot be sent. Copy what you need, close the form, and supersede the newest version.
      </Text>
    </Alert>
  );
}

/** Says that the typed name belongs to a card, so that nobody supersedes a card by accident. */
function TakenName({ preview }: { preview: RateCard | undefined }) {
  const isTaken = preview !== undefined && preview.version > 1;
  return (
    <Text size="sm" fw={600} role="status">
      {isTaken && `A card has this name. This one supersedes it as version ${preview.version}.`}
    </Text>
  );
}

function CardFields({
  draft,
  errors,
  onChange: set,
  isNext,
}: {
  draft: CardDraft;
  errors: FieldErrors;
  onChange: (patch: Partial<CardDraft>) => void;
  isNext: boolean;
}) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        {!isNext && (
          <TextInput
            data-autofocus
            label="Name"
            required
            maxLength={100}
            value={draft.name}
            error={errors.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
        )}
        <TextInput
          label="Effective from"
          type="date"
          required
          value={draft.effective_from}
          error={errors.effective_from}
          onChange={(event) => set({ effective_from: event.currentTarget.value })}
        />
        <TextInput
          label="After hours from"
          type="time"
          required
          value={draft.start}
          error={errors['after_hours_window.start']}
          onChange={(event) => set({ start: event.currentTarget.value })}
        />
        <TextInput
          label="After hours until"
          type="time"
          required
          value={draft.end}
          error={errors['after_hours_window.end']}
          onChange={(event) => set({ end: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Checkbox
        label="Saturday and Sunday are after hours"
        checked={draft.weekends}
        onChange={(event) => set({ weekends: event.currentTarget.checked })}
      />
      <Checkbox
        label="Default card, for customers without a card of their own"
        checked={draft.is_default}
        error={errors.is_default}
        onChange={(event) => set({ is_default: event.currentTarget.checked })}
      />
    </>
  );
}
