import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Problem, splitFaults, toProblem } from '../api/problem';
import { ProblemAlert } from '../parts/feedback/problem-alert';

/** One text field of the form. */
export interface JoiningField {
  name: string;
  label: string;
  kind?: 'text' | 'email' | 'password';
  hint?: string;
  autoComplete: string;
}

export const NEW_PASSWORD: JoiningField = {
  name: 'password',
  label: 'Password',
  kind: 'password',
  hint: 'At least 12 characters.',
  autoComplete: 'new-password',
};

export const EMAIL: JoiningField = {
  name: 'email',
  label: 'E-mail',
  kind: 'email',
  autoComplete: 'username',
};

/**
 * A form for a person without a session. Each click sends the form only once, without retries,
 * because these requests have no idempotency key.
 * @param send sends the entered values; it throws a Problem if that fails
 */
export function JoiningForm({
  fields,
  submitLabel,
  send,
}: {
  fields: readonly JoiningField[];
  submitLabel: string;
  send: (values: Record<string, string>) => Promise<void>;
}) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<Problem>();
  const [isRunning, setRunning] = useState(false);
  const names = fields.map(({ name }) => name);
  const { errors, rest } = problem ? splitFaults(problem, names) : { errors: {}, rest: undefined };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setRunning(true);
    try {
      await send(values);
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setRunning(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        {fields.map((field) => (
          <JoiningInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            error={(errors as Record<string, string>)[field.name]}
            onValue={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        {rest && <ProblemAlert problem={problem} text={rest} />}
        <Button type="submit" loading={isRunning} fullWidth>
          {submitLabel}
        </Button>
      </Stack>
    </form>
  );
}

function JoiningInput({
  field: { label, kind = 'text', hint, autoComplete },
  value,
  error,
  onValue,
}: {
  field: JoiningField;
  value: string;
  error: string | undefined;
  onValue: (value: string) => void;
}) {
  const shared = {
    label,
    value,
    error,
    autoComplete,
    required: true,
    withAsterisk: false,
    description: hint,
  };
  return kind === 'password' ? (
    <PasswordInput {...shared} onChange={(event) => onValue(event.currentTarget.value)} />
  ) : (
    <TextInput {...shared} type={kind} onChange={(event) => onValue(event.currentTarget.value)} />
  );
}
