import { Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { ChevronRight, CircleCheck, CircleDashed } from 'lucide-react';
import type { Schemas } from '../../../api/records';
import { ScreenLink } from '../../../parts/url/links';
import { CodeBlock } from '../../../parts/values/code-block';
import { listSteps, type Step } from './steps';

/** The first steps of a new account. Shown until all steps are done. The next step is expanded. */
export function FirstSteps({ done }: { done: Schemas['OverviewFirstSteps'] }) {
  const steps = listSteps();
  const doneCount = steps.filter(({ fact }) => done[fact]).length;
  if (doneCount === steps.length) return null;
  const next = steps.find(({ fact }) => !done[fact]);
  return (
    <Paper component="section" withBorder p="sm" aria-labelledby="first-steps">
      <Group justify="space-between" mb={6}>
        <Title order={2} size="sm" id="first-steps">
          First steps
        </Title>
        <Text size="xs" c="dimmed">
          {doneCount} of {steps.length} done
        </Text>
      </Group>
      <Progress.Root size="sm" mb="xs" aria-hidden>
        <Progress.Section value={(100 * doneCount) / steps.length} color="var(--tone-good)" />
      </Progress.Root>
      <ol className="first-steps">
        {steps.map((step) => (
          <StepItem key={step.fact} step={step} isDone={done[step.fact]} isNext={step === next} />
        ))}
      </ol>
    </Paper>
  );
}

function StepItem({ step, isDone, isNext }: { step: Step; isDone: boolean; isNext: boolean }) {
  const Icon = isDone ? CircleCheck : CircleDashed;
  const tone = isDone ? 'var(--tone-good)' : 'var(--tone-plain)';
  const heading = (
    <>
      <Icon size={16} aria-hidden color={tone} />
      <Text
        component="span"
        size="sm"
        fw={isNext ? 600 : 400}
        c={isDone ? 'dimmed' : 'var(--mantine-color-text)'}
      >
        {step.title}
      </Text>
      <Text component="span" size="xs" c="dimmed">
        {isDone ? 'Done' : isNext ? 'Next' : 'To do'}
      </Text>
    </>
  );
  if (isDone)
    return (
      <li>
        <div className="first-step">{heading}</div>
      </li>
    );
  return (
    <li>
      <details open={isNext}>
        <summary className="first-step">
          {heading}
          <ChevronRight size={14} aria-hidden className="first-step-arrow" />
        </summary>
        <Stack gap={6} pl={24} pb="xs" maw={720}>
          <Text size="sm">{step.text}</Text>
          <Text size="sm">
            <ScreenLink screen={step.link.screen} search={step.link.search ?? {}}>
              {step.link.label}
            </ScreenLink>
          </Text>
          {step.curl && <CodeBlock label={`curl: ${step.title}`} code={step.curl} copyLabel="curl" />}
        </Stack>
      </details>
    </li>
  );
}
