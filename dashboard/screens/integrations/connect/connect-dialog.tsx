import { Checkbox, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useUrl } from '../../../parts/url/use-url';
import type { Integration } from '../vendors/vendor-kinds';
import { readFields, type VendorValues } from '../vendors/vendor-schema';
import { SignInDialog } from './sign-in-dialog';
import { VendorFields } from './vendor-fields';

/** Asks for the values that the vendor needs. For a vendor with OAuth, the sign-in follows. */
export function ConnectDialog({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { vendor, label: vendorName, auth, sign_in: hasSignIn } = integration;
  const { openRecord } = useUrl();
  const [label, setLabel] = useState('');
  const [credentials, setCredentials] = useState<VendorValues>({});
  const [settings, setSettings] = useState<VendorValues>({});
  const [pending, setPending] = useState<Schemas['ConnectionWithSignIn']>();
  const write = useWrite((headers, body: Schemas['ConnectionCreate']) =>
    client.POST('/connections', { params: { header: headers }, body }),
  );
  const [byKey, setByKey] = useState(auth === 'api_key' && !hasSignIn);
  const isOAuth = !byKey;
  const credentialFields = isOAuth ? [] : readFields(integration.credentials_schema);
  const settingFields = readFields(integration.settings_schema);
  const submit = async () => {
    const created = await write.run({
      vendor,
      settings,
      ...(label.trim() ? { label: label.trim() } : {}),
      ...(isOAuth ? {} : { credentials: credentials as Record<string, string> }),
    });
    if (!created) return;
    if (isOAuth) return setPending(created);
    onClose();
    openRecord(created.id);
  };
  if (pending)
    return (
      <SignInDialog
        vendorName={vendorName}
        started={pending}
        onClose={() => {
          onClose();
          openRecord(pending.id);
        }}
      />
    );
  return (
    <FormDialog
      title={`Connect ${vendorName}`}
      submitLabel={isOAuth ? 'Continue to the sign-in' : 'Connect'}
      fields={[
        'label',
        ...credentialFields.map(({ name }) => `credentials.${name}`),
        ...settingFields.map(({ name }) => `settings.${name}`),
      ]}
      write={write}
      isLong
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">
            {isOAuth
              ? `You sign in at ${vendorName} in the next step. This service never sees your password.`
              : `${vendorName} is asked at once whether it accepts these. They are stored encrypted, and never shown again.`}
          </Text>
          {auth === 'api_key' && hasSignIn && (
            <Checkbox
              label="Enter a key instead"
              checked={byKey}
              onChange={(event) => setByKey(event.currentTarget.checked)}
            />
          )}
          <TextInput
            label="Label"
            description="Tells two connections apart. Without one, the vendor's name of the account is used."
            value={label}
            error={errors.label}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <VendorFields
            fields={credentialFields}
            member="credentials"
            values={credentials}
            onValues={setCredentials}
            errors={errors}
          />
          <VendorFields
            fields={settingFields}
            member="settings"
            values={settings}
            onValues={setSettings}
            errors={errors}
          />
        </>
      )}
    </FormDialog>
  );
}
