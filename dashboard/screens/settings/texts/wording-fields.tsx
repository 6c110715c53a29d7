import { Fieldset, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { SettingsFieldsProps } from '../account/settings-draft';

/** The fields for the account's own words around an invoice, in mails and text messages. */
export function WordingFields({ shown, set, errors }: SettingsFieldsProps) {
  return (
    <Fieldset legend="Your words">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          The service replaces {'{company}'}, {'{invoice_number}'}, {'{balance}'}, {'{due_date}'} and{' '}
          {'{link}'} in these texts.
        </Text>
        <TextInput
          label="Subject of the mail"
          description="Left empty: the number of the invoice and the company."
          maxLength={150}
          value={shown.mail_subject ?? ''}
          error={errors.mail_subject}
          onChange={(event) => set({ mail_subject: event.currentTarget.value || null })}
        />
        <Textarea
          label="First words of the mail"
          description="They stand above the invoice. Left empty: the mail begins with the invoice."
          autosize
          minRows={3}
          maxLength={2000}
          value={shown.mail_text ?? ''}
          error={errors.mail_text}
          onChange={(event) => set({ mail_text: event.currentTarget.value || null })}
        />
        <TextInput
          label="Text message"
          description="It must contain {link}. Left empty: company, number, balance, due date and link."
          maxLength={300}
          value={shown.sms_text ?? ''}
          error={errors.sms_text}
          onChange={(event) => set({ sms_text: event.currentTarget.value || null })}
        />
      </Stack>
    </Fieldset>
  );
}
