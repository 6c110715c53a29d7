import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { findTyped, useEdits } from '../../../parts/dialogs/use-edits';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { VendorFields } from '../connect/vendor-fields';
import type { Connection, Integration } from '../vendors/vendor-kinds';
import { readFields, type VendorValues } from '../vendors/vendor-schema';

/**
 * Changes label, settings and credentials. The API replaces all settings at once. Credentials are
 * sent only if the person enters new ones. The service then immediately tests the credentials at
 * the vendor.
 */
export function EditConnection({
  connection,
  integration,
  onClose,
}: {
  connection: Connection;
  integration: Integration;
  onClose: () => void;
}) {
  const { opened, onProblem } = useOpenedVersion(connection);
  const { draft, edits, edit } = useEdits({ label: opened.label ?? '' });
  // The API replaces all settings at once. So also send the settings that the person has not
  // changed.
  const { draft: settings, edit: editSettings } = useEdits<VendorValues>(opened.settings);
  const [credentials, setCredentials] = useState<VendorValues>({});
  const write = useWrite(
    (headers, body: Schemas['ConnectionPatch']) =>
      client.PATCH('/connections/{id}', {
        params: { path: { id: connection.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: 'Settings saved', onProblem },
  );
  const credentialFields = integration.auth === 'oauth2' ? [] : readFields(integration.credentials_schema);
  // The tab Books has a form of its own for the settings of books.
  const settingFields = connection.kind === 'accounting' ? [] : readFields(integration.settings_schema);
  const submit = async () => {
    const body: Schemas['ConnectionPatch'] = { settings };
    if (edits.label !== undefined) body.label = edits.label.trim() || null;
    if (Object.keys(credentials).length > 0) body.credentials = credentials as Record<string, string>;
    if (await write.run(body)) onClose();
  };
  return (
    <FormDialog
      title="Edit settings"
      submitLabel="Save"
      fields={[
        'label',
        ...credentialFields.map(({ name }) => `credentials.${name}`),
        ...settingFields.map(({ name }) => `settings.${name}`),
      ]}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <TextInput
            label="Label"
            value={draft.label}
            error={errors.label}
            onChange={(event) => edit({ label: event.currentTarget.value })}
          />
          <VendorFields
            fields={settingFields}
            member="settings"
            values={settings}
            onValues={(values) => editSettings(findTyped(values, settings))}
            errors={errors}
          />
          {credentialFields.length > 0 && (
            <Text size="sm" c="dimmed">
              Leave these empty to keep the stored credentials.
            </Text>
          )}
          <VendorFields
            fields={credentialFields}
            member="credentials"
            values={credentials}
            onValues={setCredentials}
            errors={errors}
            areRequired={false}
          />
        </>
      )}
    </FormDialog>
  );
}
