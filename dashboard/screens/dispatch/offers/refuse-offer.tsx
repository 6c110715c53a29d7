import { Radio, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { CLUB_REFUSAL_REASON } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { OfferFacts } from './offer-facts';

type Reason = Schemas['ClubRefusalReason'];

/** Refuses an offer with a reason, which the club reads. */
export function RefuseOffer({ offer, onClose }: { offer: Schemas['ClubOffer']; onClose: () => void }) {
  const [reason, setReason] = useState<Reason | ''>('');
  const [note, setNote] = useState('');
  const write = useWrite(
    (headers, body: Schemas['ClubOfferRefuse']) =>
      client.POST('/club-offers/{id}/refuse', {
        params: { path: { id: offer.id }, header: headers },
        body,
      }),
    { done: ({ reference }) => `${reference} refused` },
  );
  const submit = async () => {
    if (reason === '') return;
    if (await write.run({ reason, ...(note.trim() ? { note: note.trim() } : {}) })) onClose();
  };
  return (
    <FormDialog
      title={`Refuse ${offer.reference}`}
      submitLabel="Refuse"
      fields={['reason', 'note']}
      write={write}
      isDangerous
      canSubmit={reason !== ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">{`${offer.club} reads the reason and the note, and offers the job to others.`}</Text>
          <OfferFacts offer={offer} />
          <Radio.Group
            label="Reason"
            required
            value={reason}
            error={errors.reason}
            onChange={(value) => setReason(value as Reason)}
          >
            <Stack gap="xs" mt={4}>
              {wordsOf(CLUB_REFUSAL_REASON).map((value) => (
                <Radio key={value} value={value} label={CLUB_REFUSAL_REASON[value].replaceAll('`', '')} />
              ))}
            </Stack>
          </Radio.Group>
          <Textarea
            label="Note"
            autosize
            minRows={2}
            maxLength={500}
            value={note}
            error={errors.note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
