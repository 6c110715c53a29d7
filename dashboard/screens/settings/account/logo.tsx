import { Button, Fieldset, FileButton, Group, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { api, client, ifMatch } from '../../../api/client';
import { Problem } from '../../../api/problem';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import type { Settings } from './settings-draft';

const MAX_KIB = 256;
/** White in the dark theme too, because an invoice is white. */
const ON_PAPER = {
  width: 'auto',
  height: 'auto',
  maxWidth: 'min(240px, 100%)',
  maxHeight: 120,
  padding: 8,
  background: 'var(--mantine-color-white)',
};
const TYPES = ['image/png', 'image/jpeg'];

/** The logo on invoices, and the limits for its file. */
export function Logo({ settings, canChange }: { settings: Settings; canChange: boolean }) {
  const [isRemoving, setRemoving] = useState(false);
  const { logo } = settings;
  return (
    <Fieldset legend="Logo">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          Invoices show it on the web page, in the PDF and in the mail. A PNG or JPEG of at most {MAX_KIB} KiB
          and 2000 × 2000 pixels.
        </Text>
        {logo ? <Preview logo={logo} /> : <Text size="sm">No logo is set: invoices show only the name.</Text>}
        {canChange && <ChooseLogo settings={settings} onRemove={() => setRemoving(true)} />}
        {isRemoving && <RemoveLogo settings={settings} onClose={() => setRemoving(false)} />}
      </Stack>
    </Fieldset>
  );
}

function Preview({ logo }: { logo: NonNullable<Settings['logo']> }) {
  const { data, error } = api.useQuery('get', '/settings/logo', { parseAs: 'blob' });
  const picture: unknown = data;
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!(picture instanceof Blob)) return;
    const created = URL.createObjectURL(picture);
    setAddress(created);
    return () => URL.revokeObjectURL(created);
  }, [picture]);
  if (error && !data) return <ProblemAlert problem={error} text="The logo cannot be shown now." />;
  const kind = logo.content_type === 'image/png' ? 'PNG' : 'JPEG';
  return (
    <Stack gap={4}>
      <img src={address} alt="Logo of the account" width={logo.width} height={logo.height} style={ON_PAPER} />
      <Text size="xs" c="dimmed">
        {kind}, {logo.width} × {logo.height} pixels, {Math.ceil(logo.bytes / 1024)} KiB
      </Text>
    </Stack>
  );
}

function ChooseLogo({ settings, onRemove }: { settings: Settings; onRemove: () => void }) {
  const [refusal, setRefusal] = useState<string>();
  const upload = useWrite(
    // Name, size and time identify the chosen file, so they are part of the input.
    (headers, { file }: { file: File; name: string; size: number; changedAt: number }) =>
      client.PUT('/settings/logo', {
        params: { header: { ...headers, ...ifMatch(settings) } },
        headers: { 'Content-Type': file.type },
        body: file as unknown as string,
        bodySerializer: (body) => body as unknown as Blob,
      }),
    { done: 'Logo saved' },
  );
  const choose = (file: File | null) => {
    if (!file) return;
    upload.reset();
    const fault = findFault(file);
    setRefusal(fault);
    const { name, size, lastModified: changedAt } = file;
    if (!fault) void upload.run({ file, name, size, changedAt });
  };
  const problem = upload.problem;
  return (
    <>
      {refusal && <ProblemAlert problem={new Problem(422, { code: 'invalid', message: refusal })} />}
      {problem && <ProblemAlert problem={problem} />}
      <Group gap="xs">
        <FileButton onChange={choose} accept={TYPES.join(',')} inputProps={{ 'aria-label': 'Picture file' }}>
          {(props) => (
            <Button variant="default" loading={upload.isRunning} {...props}>
              {settings.logo ? 'Replace logo' : 'Choose logo'}
            </Button>
          )}
        </FileButton>
        {settings.logo && (
          <Button variant="default" onClick={onRemove}>
            Remove logo
          </Button>
        )}
      </Group>
    </>
  );
}

/** Returns the reason why the server would refuse the file, before the file is sent. */
function findFault(file: File): string | undefined {
  if (!TYPES.includes(file.type)) return `${file.name} is no PNG or JPEG. Choose another picture.`;
  if (file.size <= MAX_KIB * 1024) return undefined;
  const size = Math.ceil(file.size / 1024);
  return `${file.name} has ${size} KiB. Choose a picture of at most ${MAX_KIB} KiB.`;
}

function RemoveLogo({ settings, onClose }: { settings: Settings; onClose: () => void }) {
  const write = useWrite(
    (headers, _: null) =>
      client.DELETE('/settings/logo', { params: { header: { ...headers, ...ifMatch(settings) } } }),
    { done: 'Logo removed' },
  );
  return (
    <ConfirmDialog
      title="Remove the logo"
      verb="Remove logo"
      effect="Invoices then show only the name of the company."
      write={write}
      onConfirm={() => void write.run(null).then((saved) => saved && onClose())}
      onClose={onClose}
    />
  );
}
