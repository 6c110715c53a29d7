import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { useTrucks } from '../../../parts/choices/all-records';
import { nameTruck } from '../../../parts/choices/name-truck';
import { TruckName } from '../../../parts/choices/record-names';
import { Select } from '../../../parts/choices/select';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { FleetTable, nameListed } from './fleet-table';
import { LinkDialog } from './link-dialog';

type ListedVehicle = Schemas['ConnectionVehicle'];
type DutyClass = NonNullable<ListedVehicle['duty_class']>;

interface DialogProps {
  vehicle: ListedVehicle;
  onClose: () => void;
}

const MATCHES = { vin: 'same VIN', unit_number: 'same unit number' } as const;
const DUTY_CLASSES: { value: DutyClass; label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'medium', label: 'Medium' },
  { value: 'heavy', label: 'Heavy' },
];

/** The vehicles that the vendor lists, and the trucks to which they are linked. */
export function VehiclesTab({ connectionId }: { connectionId: string }) {
  return (
    <FleetTable<ListedVehicle>
      label="Vehicles of the vendor"
      connectionId={connectionId}
      readPage={async (query) => {
        const params = { path: { id: connectionId }, query };
        return (await client.GET('/connections/{id}/vehicles', { params })).data?.data;
      }}
      empty="The vendor has listed no vehicles yet."
      columns={[
        { header: 'Name', render: nameListed },
        { header: 'Vehicle', render: describeVehicle },
        { header: 'VIN', render: ({ vin }) => vin ?? '–' },
      ]}
      getLinkedId={({ truck_id: id }) => id}
      renderLinked={({ truck_id: id }) => <TruckName id={id} />}
      describeProposal={({ proposed_truck: proposed }) =>
        proposed ? `Probably ${nameTruck(proposed)} (${MATCHES[proposed.matched_by]})` : undefined
      }
      renderLinkDialog={(vehicle, onClose) => <LinkVehicle vehicle={vehicle} onClose={onClose} />}
      renderUnlinkDialog={(vehicle, onClose) => <UnlinkVehicle vehicle={vehicle} onClose={onClose} />}
    />
  );
}

function describeVehicle({ year, make, model, plate }: ListedVehicle): string {
  const parts = [[year, make, model].filter((part) => part !== null).join(' '), plate];
  return parts.filter(Boolean).join(', ') || '–';
}

const pathOf = ({ connection_id: id, external_id }: ListedVehicle) => ({ id, external_id });

function LinkVehicle({ vehicle, onClose }: DialogProps) {
  const trucks = useTrucks();
  const [unit, setUnit] = useState((vehicle.name ?? '').slice(0, 32).trim());
  const [duty, setDuty] = useState<DutyClass>(vehicle.duty_class ?? 'light');
  const write = useWrite(
    (headers, body: Schemas['VehicleLink']) =>
      client.POST('/connections/{id}/vehicles/{external_id}/link', {
        params: { path: pathOf(vehicle), header: headers },
        body,
      }),
    { done: `${nameListed(vehicle)} linked` },
  );
  const submit = async (id: string | undefined) => {
    const created = {
      create: true as const,
      duty_class: duty,
      ...(unit.trim() ? { unit_number: unit } : {}),
    };
    if (await write.run(id === undefined ? created : { truck_id: id })) onClose();
  };
  const { proposed_truck: proposed } = vehicle;
  return (
    <LinkDialog
      name={nameListed(vehicle)}
      targetLabel="Truck"
      member="truck_id"
      options={trucks.map((truck) => ({ value: truck.id, label: nameTruck(truck) }))}
      proposed={proposed ? { value: proposed.id, label: nameTruck(proposed) } : undefined}
      effect="The truck then gets the positions and inspections of this vehicle."
      createFields={['unit_number', 'duty_class']}
      renderCreate={(errors) => (
        <>
          <TextInput
            label="Unit number"
            value={unit}
            error={errors.unit_number}
            onChange={(event) => setUnit(event.currentTarget.value)}
          />
          <Select
            label="Duty class"
            allowDeselect={false}
            data={DUTY_CLASSES}
            value={duty}
            error={errors.duty_class}
            onChange={(value) => setDuty((value ?? 'light') as DutyClass)}
          />
        </>
      )}
      write={write}
      onSubmit={(id) => void submit(id)}
      onClose={onClose}
    />
  );
}

function UnlinkVehicle({ vehicle, onClose }: DialogProps) {
  const name = nameListed(vehicle);
  const write = useWrite(
    (headers, _input: undefined) =>
      client.DELETE('/connections/{id}/vehicles/{external_id}/link', {
        params: { path: pathOf(vehicle), header: headers },
      }),
    { done: `${name} unlinked` },
  );
  return (
    <ConfirmDialog
      title={`Unlink ${name}`}
      verb="Unlink"
      effect="The truck keeps its last position, and gets no new ones from this vehicle."
      write={write}
      onConfirm={() => void write.run(undefined).then((done) => done && onClose())}
      onClose={onClose}
    />
  );
}
