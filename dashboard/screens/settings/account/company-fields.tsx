import { Fieldset, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { SettingsFieldsProps } from './settings-draft';

const TEXTS = [
  ['business_name', 'Company name', 'organization', 'Left empty: the name of the account.'],
  ['phone', 'Phone', 'tel', 'For questions about invoices.'],
  ['email', 'E-mail', 'email', 'For questions about invoices.'],
  ['address', 'Street', 'street-address', undefined],
  ['city', 'City', 'address-level2', undefined],
  ['state', 'State', 'address-level1', undefined],
  ['zip', 'ZIP', 'postal-code', undefined],
] as const;

/** The fields for the company that sends the invoices, and for the payment instructions. */
export function CompanyFields({ shown, set, errors }: SettingsFieldsProps) {
  return (
    <Fieldset legend="Company on invoices">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Invoices show these details on the web page, in the PDF and in the mail.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {TEXTS.map(([name, label, autoComplete, description]) => (
            <TextInput
              key={name}
              label={label}
              description={description}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              autoComplete={autoComplete}
              value={shown[name] ?? ''}
              error={errors[name]}
              onChange={(event) => set({ [name]: event.currentTarget.value || null })}
            />
          ))}
        </SimpleGrid>
        <Textarea
          label="How to pay"
          description="In your words, such as the address for checks. Left empty: invoices show phone and e-mail."
          autosize
          minRows={3}
          maxLength={2000}
          value={shown.remittance_text ?? ''}
          error={errors.remittance_text}
          onChange={(event) => set({ remittance_text: event.currentTarget.value || null })}
        />
      </Stack>
    </Fieldset>
  );
}
