import { Checkbox, NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import '@mantine/core/styles/NumberInput.css';
import type { Schemas } from '../../../api/records';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { EventTypeChoice } from './event-type-choice';
import { HeaderFields } from './header-fields';

type Patch = Schemas['WebhookEndpointPatch'];

/** The values in the form. If `headers` is undefined, the stored headers stay unchanged. */
export type EndpointDraft = { [Name in keyof Patch]?: Patch[Name] | undefined };

export const ENDPOINT_FIELDS = [
  'url',
  'event_types',
  'description',
  'headers',
  'rate_limit_per_second',
  'max_in_flight',
  'asymmetric',
] as const;

/** @param headerNames names of the stored headers; their values cannot be read again */
export function EndpointFields({
  draft,
  errors,
  headerNames = [],
  onDraft,
}: {
  draft: EndpointDraft;
  errors: FieldErrors;
  headerNames?: readonly string[];
  onDraft: (patch: EndpointDraft) => void;
}) {
  return (
    <>
      <TextInput
        data-autofocus
        label="URL"
        type="url"
        required
        placeholder="https://example.com/hooks/tow"
        value={draft.url ?? ''}
        error={errors.url}
        onChange={(event) => onDraft({ url: event.currentTarget.value.trim() })}
      />
      <TextInput
        label="Description"
        value={draft.description ?? ''}
        error={errors.description}
        onChange={(event) => onDraft({ description: event.currentTarget.value || null })}
      />
      <EventTypeChoice
        value={draft.event_types ?? []}
        error={errors.event_types}
        onChange={(types) => onDraft({ event_types: types })}
      />
      <HeaderFields
        names={headerNames}
        error={errors.headers}
        onHeaders={(headers) => onDraft({ headers })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="Deliveries per second"
          placeholder="No limit"
          min={1}
          max={1000}
          value={draft.rate_limit_per_second ?? ''}
          error={errors.rate_limit_per_second}
          onChange={(value) => onDraft({ rate_limit_per_second: value === '' ? null : Number(value) })}
        />
        <NumberInput
          label="Deliveries at a time"
          placeholder="20"
          min={1}
          max={100}
          value={draft.max_in_flight ?? ''}
          error={errors.max_in_flight}
          onChange={(value) => onDraft({ max_in_flight: value === '' ? 20 : Number(value) })}
        />
      </SimpleGrid>
      <Checkbox
        label="Sign with ed25519 (v1a) as well"
        checked={draft.asymmetric ?? false}
        error={errors.asymmetric}
        onChange={(event) => onDraft({ asymmetric: event.currentTarget.checked })}
      />
    </>
  );
}
