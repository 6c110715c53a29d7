import { NumberInput, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { CustomerSelect } from '../../../parts/choices/customer-select';
import { nameTruck } from '../../../parts/choices/name-truck';
import { Select } from '../../../parts/choices/select';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useBoard } from '../board/board-view';
import { OfferFacts } from './offer-facts';

/** Accepts an offer with the time until the truck arrives. The truck may be chosen later. */
export function AcceptOffer({ offer, onClose }: { offer: Schemas['ClubOffer']; onClose: () => void }) {
  const { freeTrucks } = useBoard();
  const [minutes, setMinutes] = useState<number>();
  const [truckId, setTruckId] = useState<string | null>(null);
  const [customerId, setCustomerId] = useState<string | null>(null);
  const write = useWrite(
    (headers, body: Schemas['ClubOfferAccept']) =>
      client.POST('/club-offers/{id}/accept', {
        params: { path: { id: offer.id }, header: headers },
        body,
      }),
    { done: ({ reference }) => `${reference} accepted` },
  );
  const submit = async () => {
    if (minutes === undefined) return;
    const body = {
      eta_minutes: minutes,
      ...(truckId ? { truck_id: truckId } : {}),
      ...(customerId ? { customer_id: customerId } : {}),
    };
    if (await write.run(body)) onClose();
  };
  return (
    <FormDialog
      title={`Accept ${offer.reference}`}
      submitLabel="Accept"
      fields={['eta_minutes', 'truck_id', 'customer_id']}
      write={write}
      canSubmit={minutes !== undefined}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">{`${offer.club} learns the time of arrival, and the job becomes a work order.`}</Text>
          <OfferFacts offer={offer} />
          <NumberInput
            label="Minutes until arrival"
            data-autofocus
            required
            min={1}
            max={1440}
            allowDecimal={false}
            hideControls
            value={minutes ?? ''}
            error={errors.eta_minutes}
            onChange={(value) => setMinutes(value === '' ? undefined : Number(value))}
          />
          <Select
            label="Truck"
            placeholder="Assign later"
            clearable
            searchable
            openOnFocus={false}
            nothingFoundMessage="No free truck has this number"
            data={freeTrucks.map((truck) => ({ value: truck.id, label: nameTruck(truck) }))}
            value={truckId}
            error={errors.truck_id}
            onChange={setTruckId}
          />
          <CustomerSelect
            label="Customer who is billed"
            placeholder="As for the club's last offer"
            value={customerId}
            error={errors.customer_id}
            onChange={setCustomerId}
          />
        </>
      )}
    </FormDialog>
  );
}
