import {
  Group,
  Kbd,
  NumberInput,
  Popover,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { useAccountNames, useKeys, useModelLabels, useRead } from '../../api/queries.js';
import { useParameters, useTyped } from '../../components/search-parameters.js';
import { texts } from '../../texts/texts.js';
import {
  type Bound,
  bounds,
  isFiltered,
  maxModels,
  modelsOf,
  spanOf,
  spans,
  withoutFilters,
} from './filters.js';
import { optionsOf, SmallButton } from '../../components/elements.js';

const text = texts.requests;
/** Until a text that is being typed is searched for. */
const typingMs = 400;

const outcomes = optionsOf({
  'failed=false': texts.common.answered,
  'failed=true': text.outcomes.failed,
  'failedBy=provider': text.outcomes.provider,
  'failedBy=refused': text.outcomes.refused,
  'failedBy=client': text.outcomes.client,
});

/** The filters, which stand in the address. */
export function FilterBar({ isAdmin }: { isAdmin: boolean }) {
  const [parameters, change] = useParameters();
  return (
    <Group gap={6}>
      <Select
        size="xs"
        w={80}
        aria-label={texts.common.time}
        value={parameters.from ? null : spanOf(parameters.range)}
        placeholder={text.selected}
        data={Object.keys(spans)}
        allowDeselect={false}
        onChange={(range) =>
          change({ range: range === '24h' ? null : range, from: null, to: null })
        }
      />
      <OutcomeFilter />
      <Choice name="code" label={texts.common.reason} options={optionsOf(texts.codes)} w={150} />
      <ModelFilter />
      <KeyFilter isAdmin={isAdmin} />
      <TypedId />
      <MoreFilters isAdmin={isAdmin} />
      {isFiltered(parameters) ? (
        <SmallButton onClick={() => change(withoutFilters)}>{text.clear}</SmallButton>
      ) : null}
    </Group>
  );
}

function OutcomeFilter() {
  const [{ failed, failedBy, status }, change] = useParameters();
  const outcome = failed ? `failed=${failed}` : failedBy ? `failedBy=${failedBy}` : null;
  return (
    <Select
      size="xs"
      w={148}
      aria-label={text.outcome}
      value={outcome}
      placeholder={status ?? text.outcome}
      data={outcomes}
      clearable
      onChange={(value) => {
        const [name, wanted] = value?.split('=') ?? [];
        const none = { failed: null, failedBy: null, status: null };
        change({ ...none, ...(name ? { [name]: wanted ?? null } : {}) });
      }}
    />
  );
}

interface ChoiceProps {
  /** Of the parameter. */
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
  w?: number | string;
  /** Called with what is typed. */
  onSearchChange?: (typed: string) => void;
}

/** One of some values, found by typing; one of the address that is none of them is shown too. */
function Choice({ name, label, options, w = 120, ...more }: ChoiceProps) {
  const [parameters, change] = useParameters();
  const value = parameters[name] ?? null;
  const isKnown = value === null || options.some((one) => one.value === value);
  return (
    <Select
      size="xs"
      w={w}
      aria-label={label}
      placeholder={label}
      searchable
      clearable
      openOnFocus={false}
      // beside its field also in the page, so that a click on a value is none outside of a popover
      comboboxProps={{ width: 'max-content', position: 'bottom-start', withinPortal: false }}
      data={isKnown ? [...options] : [...options, { value, label: value }]}
      value={value}
      onChange={(chosen) => change({ [name]: chosen })}
      {...more}
    />
  );
}

/** The gateway searches the keys, which may be more than a list has. */
function KeyFilter({ isAdmin }: { isAdmin: boolean }) {
  const [{ key = null }] = useParameters();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), typingMs);
  const keys = useKeys(isAdmin, search, key).map(({ id, name }) => ({ value: id, label: name }));
  return <Choice name="key" label={text.key} options={keys} onSearchChange={setTyped} />;
}

/** What is asked for less often. */
function MoreFilters({ isAdmin }: { isAdmin: boolean }) {
  const providers = useRead('/api/v1/providers', {}, { staleTime: 60_000 }).data?.items ?? [];
  const accounts = [...useAccountNames(isAdmin)].map(([value, label]) => ({ value, label }));
  const same = (value: string) => ({ value, label: value });
  return (
    <Popover width={300} position="bottom-end" trapFocus>
      <Popover.Target>
        <SmallButton>{text.moreFilters}</SmallButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Choice
            name="provider"
            label={texts.common.provider}
            options={providers.map(({ name }) => same(name))}
            w="100%"
          />
          <Choice
            name="surface"
            label={text.surface}
            options={optionsOf(texts.surfaces)}
            w="100%"
          />
          {isAdmin ? (
            <Choice
              name="account"
              label={texts.common.account}
              options={[{ value: 'own', label: texts.common.mine }, ...accounts]}
              w="100%"
            />
          ) : null}
          <SimpleGrid cols={2} spacing="xs">
            {bounds.map((name) => (
              <BoundField key={name} name={name} />
            ))}
          </SimpleGrid>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** One or several models: those that can be called, and any other that is typed. */
function ModelFilter() {
  const [parameters, change] = useParameters();
  const labels = useModelLabels();
  const chosen = modelsOf(parameters);
  return (
    <TagsInput
      size="xs"
      w={162}
      // a chosen model leaves the field its one line
      styles={{ inputField: { minWidth: 0, width: 0 } }}
      aria-label={texts.common.models}
      placeholder={chosen.length === 0 ? texts.common.models : ''}
      data={[...labels]}
      limit={20}
      maxTags={maxModels}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      value={chosen}
      onChange={(models) => change({ model: models.join(',') })}
    />
  );
}

/** The id of a request. */
function TypedId() {
  const { field } = useTyped('id');
  const input = useRef<HTMLInputElement>(null);
  useHotkeys([['/', () => input.current?.focus()]]);
  return (
    <TextInput
      ref={input}
      size="xs"
      w={110}
      aria-label={text.id}
      title={text.keysHint}
      placeholder={text.id}
      rightSection={<Kbd size="xs">/</Kbd>}
      {...field}
    />
  );
}

function BoundField({ name }: { name: Bound }) {
  const { type, field } = useTyped(name);
  const isCost = name.endsWith('Cost');
  return (
    <NumberInput
      size="xs"
      label={text[name]}
      {...(isCost ? { prefix: '$', placeholder: '$' } : { suffix: ' ms', placeholder: 'ms' })}
      min={0}
      allowNegative={false}
      hideControls
      {...field}
      onChange={(now) => type(String(now))}
    />
  );
}
