import { Checkbox, Fieldset, SimpleGrid, Stack } from '@mantine/core';
import { Select } from '../../../parts/choices/select';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { type ExportFormat, type ExportResource, FORMATS, nameResource, RESOURCES } from './export-wording';
import { FilterFields } from './filter-fields';
import {
  changeFormat,
  changeResource,
  fitOptions,
  isAlwaysCompressed,
  type RequestDraft,
} from './request-draft';

interface Part {
  draft: RequestDraft;
  onDraft: (draft: RequestDraft) => void;
  errors: FieldErrors;
}

/**
 * The fields that choose what to export.
 * @param withRange false if a schedule sets the date range of each export
 */
export function RequestFields({ draft, onDraft, errors, withRange = true }: Part & { withRange?: boolean }) {
  const formats = Object.entries(FORMATS).filter(([name]) => name !== 'dump' || draft.resource === 'all');
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Resource"
          allowDeselect={false}
          data={RESOURCES.map((value) => ({ value, label: nameResource(value) }))}
          value={draft.resource}
          error={errors.resource}
          onChange={(value) => value && onDraft(changeResource(draft, value as ExportResource))}
        />
        <Select
          label="Format"
          allowDeselect={false}
          description={FORMATS[draft.format].hint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={formats.map(([value, { label }]) => ({ value, label }))}
          value={draft.format}
          error={errors.format}
          onChange={(value) => value && onDraft(changeFormat(draft, value as ExportFormat))}
        />
      </SimpleGrid>
      <FilterFields draft={draft} onDraft={onDraft} errors={errors} withRange={withRange} />
      <Options draft={draft} onDraft={onDraft} errors={errors} />
    </>
  );
}

const INCLUDES = [
  ['line_items', 'Line items'],
  ['payments', 'Payments and refunds'],
] as const;

/** The fields for further files and columns of the download, and for its compression. */
function Options({ draft, onDraft, errors }: Part) {
  const set = (patch: Partial<RequestDraft>) => onDraft(fitOptions({ ...draft, ...patch }));
  const isCsv = draft.format === 'csv';
  const isPackable = !isAlwaysCompressed(draft);
  const canInclude = draft.resource === 'invoices' && draft.format !== 'dump';
  if (!isCsv && !isPackable && !canInclude) return null;
  return (
    <Fieldset legend="Files and columns">
      <Stack gap="xs">
        {canInclude &&
          INCLUDES.map(([name, label]) => (
            <Checkbox
              key={name}
              label={`${label}, in a file of their own`}
              checked={draft.include.includes(name)}
              error={errors.include}
              onChange={(event) => {
                const others = draft.include.filter((one) => one !== name);
                set({ include: event.currentTarget.checked ? [...others, name] : others });
              }}
            />
          ))}
        {isCsv && (
          <>
            <Checkbox
              label="Columns with decimal amounts beside those in cents"
              checked={draft.decimals}
              error={errors.decimals}
              onChange={(event) => set({ decimals: event.currentTarget.checked })}
            />
            <Checkbox
              label="Byte order mark, which spreadsheet programs expect"
              checked={draft.bom}
              error={errors.bom}
              onChange={(event) => set({ bom: event.currentTarget.checked })}
            />
          </>
        )}
        {isPackable && (
          <Checkbox
            label="Compress with gzip"
            checked={draft.compression === 'gzip'}
            error={errors.compression}
            onChange={(event) => set({ compression: event.currentTarget.checked ? 'gzip' : 'none' })}
          />
        )}
      </Stack>
    </Fieldset>
  );
}
