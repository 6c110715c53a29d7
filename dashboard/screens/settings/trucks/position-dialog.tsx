import { Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas, Truck } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { nameTruck } from '../../../parts/choices/name-truck';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { Facts } from '../../../parts/record/facts';
import { TimeAgo } from '../../../parts/values/time';
import { TimeField } from '../../../parts/values/time-field';

type Location = NonNullable<Schemas['TruckPatch']['location']>;
type Decision = 'set' | 'remove';

const COORDINATES = [
  ['lat', 'Latitude', '40.7128'],
  ['lng', 'Longitude', '-74.006'],
] as const;

/** Sets where a truck is, for a truck that no vendor reports, or removes a wrong position. */
export function PositionDialog({ truck, onClose }: { truck: Truck; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(truck);
  const [first] = useState(truck);
  const [decision, setDecision] = useState<Decision>('set');
  const [texts, setTexts] = useState({ lat: '', lng: '' });
  const [at, setAt] = useState<string | null>(null);
  const write = useWrite(
    (headers, body: Schemas['TruckPatch']) =>
      client.PATCH('/trucks/{id}', {
        params: { path: { id: truck.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: `The position of ${nameTruck(truck)} was saved`, onProblem },
  );
  const isSetting = decision === 'set' || truck.location === null;
  const submit = async () => {
    const location = isSetting ? readLocation(texts, at) : null;
    if (await write.run({ location })) onClose();
  };
  return (
    <FormDialog
      title={`Set the position of ${nameTruck(truck)}`}
      submitLabel={isSetting ? 'Set position' : 'Remove position'}
      fields={['location.lat', 'location.lng', 'location.at']}
      write={write}
      isDangerous={!isSetting}
      canSubmit={!isSetting || (texts.lat.trim() !== '' && texts.lng.trim() !== '')}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Facts items={{ 'Last position': <LastPosition truck={truck} /> }} />
          <Text size="sm" fw={600} role="status">
            {isNewer(truck.location, first.location) &&
              'This position is newer than the one at the opening of this form.'}
          </Text>
          {truck.location !== null && (
            <Radio.Group
              label="What to do"
              value={decision}
              onChange={(value) => setDecision(value as Decision)}
            >
              <Stack gap="xs" mt={4}>
                <Radio value="set" label="Set another position" />
                <Radio value="remove" label="Remove the position" />
              </Stack>
            </Radio.Group>
          )}
          {isSetting && (
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              {COORDINATES.map(([name, label, placeholder]) => (
                <TextInput
                  key={name}
                  label={label}
                  required
                  placeholder={placeholder}
                  value={texts[name]}
                  error={errors[`location.${name}`]}
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    setTexts((before) => ({ ...before, [name]: value }));
                  }}
                />
              ))}
              <TimeField label="Time (now if empty)" at={at} onAt={setAt} error={errors['location.at']} />
            </SimpleGrid>
          )}
          <Text size="sm">
            {isSetting
              ? 'The position replaces the last one, with its heading and speed. If a vendor reports this truck, its next report replaces it again.'
              : 'The board and the tracking page then do not know where the truck is, and estimate no arrival.'}
          </Text>
        </>
      )}
    </FormDialog>
  );
}

/** A vendor's report does not make a new version of the truck, so no 412 would show it. */
function isNewer(location: Truck['location'], first: Truck['location']): boolean {
  return location !== null && location.at !== first?.at;
}

function LastPosition({ truck: { location } }: { truck: Truck }) {
  if (location === null) return <>Not known</>;
  return (
    <>
      {location.lat}, {location.lng}, <TimeAgo at={location.at} />
    </>
  );
}

/** Sends a text that is no number as it is, so that the API names the fault of its field. */
function readLocation({ lat, lng }: { lat: string; lng: string }, at: string | null): Location {
  const read = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text));
  return { lat: read(lat), lng: read(lng), ...(at ? { at } : {}) } as Location;
}
