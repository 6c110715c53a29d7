import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { useDrivers } from '../../../parts/choices/all-records';
import { DriverName } from '../../../parts/choices/record-names';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { FleetTable, nameListed } from './fleet-table';
import { LinkDialog } from './link-dialog';

type ListedDriver = Schemas['ConnectionDriver'];

interface DialogProps {
  driver: ListedDriver;
  onClose: () => void;
}

const MATCHES = { phone: 'same phone number', name: 'same name' } as const;

/** The drivers whom the vendor lists, and the drivers here to whom they are linked. */
export function DriversTab({ connectionId }: { connectionId: string }) {
  return (
    <FleetTable<ListedDriver>
      label="Drivers of the vendor"
      connectionId={connectionId}
      readPage={async (query) => {
        const params = { path: { id: connectionId }, query };
        return (await client.GET('/connections/{id}/drivers', { params })).data?.data;
      }}
      empty="The vendor has listed no drivers yet."
      columns={[
        { header: 'Name', render: nameListed },
        { header: 'Phone', render: ({ phone }) => phone ?? '–' },
      ]}
      getLinkedId={({ driver_id: id }) => id}
      renderLinked={({ driver_id: id }) => <DriverName id={id} />}
      describeProposal={({ proposed_driver: proposed }) =>
        proposed ? `Probably ${proposed.name} (${MATCHES[proposed.matched_by]})` : undefined
      }
      renderLinkDialog={(driver, onClose) => <LinkDriver driver={driver} onClose={onClose} />}
      renderUnlinkDialog={(driver, onClose) => <UnlinkDriver driver={driver} onClose={onClose} />}
    />
  );
}

const pathOf = ({ connection_id: id, external_id }: ListedDriver) => ({ id, external_id });

function LinkDriver({ driver, onClose }: DialogProps) {
  const drivers = useDrivers();
  const [name, setName] = useState(driver.name ?? '');
  const write = useWrite(
    (headers, body: Schemas['DriverLink']) =>
      client.POST('/connections/{id}/drivers/{external_id}/link', {
        params: { path: pathOf(driver), header: headers },
        body,
      }),
    { done: `${nameListed(driver)} linked` },
  );
  const submit = async (id: string | undefined) => {
    const body = id === undefined ? { create: true as const, ...withText({ name }) } : { driver_id: id };
    if (await write.run(body)) onClose();
  };
  const { proposed_driver: proposed } = driver;
  return (
    <LinkDialog
      name={nameListed(driver)}
      targetLabel="Driver"
      member="driver_id"
      options={drivers
        .filter(({ status }) => status === 'active')
        .map(({ id, name: label }) => ({ value: id, label }))}
      proposed={proposed ? { value: proposed.id, label: proposed.name } : undefined}
      effect="Inspections that this driver reports then name the driver here, also those of the last day."
      createFields={['name']}
      renderCreate={(errors) => (
        <TextInput
          label="Name"
          value={name}
          error={errors.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      write={write}
      onSubmit={(id) => void submit(id)}
      onClose={onClose}
    />
  );
}

/** Leaves out an empty text, because the vendor's then counts. */
function withText<Name extends string>(texts: Record<Name, string>): Partial<Record<Name, string>> {
  const filled = Object.entries<string>(texts).filter(([, text]) => text.trim() !== '');
  return Object.fromEntries(filled) as Partial<Record<Name, string>>;
}

function UnlinkDriver({ driver, onClose }: DialogProps) {
  const name = nameListed(driver);
  const write = useWrite(
    (headers, _input: undefined) =>
      client.DELETE('/connections/{id}/drivers/{external_id}/link', {
        params: { path: pathOf(driver), header: headers },
      }),
    { done: `${name} unlinked` },
  );
  return (
    <ConfirmDialog
      title={`Unlink ${name}`}
      verb="Unlink"
      effect="New inspections of this driver name no driver here. Those that were recorded keep theirs."
      write={write}
      onConfirm={() => void write.run(undefined).then((done) => done && onClose())}
      onClose={onClose}
    />
  );
}
