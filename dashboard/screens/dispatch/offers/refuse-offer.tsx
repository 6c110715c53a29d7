import { Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { CLUB_REFUSAL_REASON } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { ReasonFields } from '../../../parts/dialogs/reason-fields';
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
          <ReasonFields
            words={CLUB_REFUSAL_REASON}
            reasons={wordsOf(CLUB_REFUSAL_REASON)}
            reason={reason}
            onReason={setReason}
            note={note}
            onNote={setNote}
            maxNoteChars={500}
            errors={errors}
          />
        </>
      )}
    </FormDialog>
  );
}
