import {
  Checkbox,
  Group,
  Modal,
  NumberInput,
  SimpleGrid,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { api, dataOf } from '../../api/client.js';
import { DialogEnd } from '../../components/dialog-end.js';
import { fill, texts } from '../../texts/texts.js';
import { type ApiKey, emptyTerms, type FormTerms, formTermsOf, requestOf } from './key-terms.js';

const text = texts.keys;

const scopes = [
  { value: 'completions', label: text.scopeCompletions },
  { value: 'model-select', label: text.scopeModelSelect },
  { value: 'admin', label: text.scopeAdmin },
];

const limits = ['requestsPerMinute', 'tokensPerMinute', 'dayBudgetUsd', 'monthBudgetUsd'] as const;

interface KeyFormProps {
  /** The key that is changed; null: a new one is made. */
  edited: ApiKey | null;
  close: () => void;
  onSaved: (key: ApiKey) => void;
}

const save = (edited: ApiKey | null, terms: FormTerms): Promise<ApiKey> =>
  edited === null
    ? dataOf(api.POST('/api/v1/keys', { body: requestOf(terms) }))
    : dataOf(
        api.PATCH('/api/v1/keys/{id}', {
          params: { path: { id: edited.id } },
          body: requestOf(terms),
        }),
      );

/** The form of a new key, or of a key's terms. */
export function KeyForm({ edited, close, onSaved }: KeyFormProps) {
  const [terms, setTerms] = useState<FormTerms>(edited ? formTermsOf(edited) : emptyTerms);
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: () => save(edited, terms),
    onSuccess: async (key) => {
      await queries.invalidateQueries({ queryKey: ['keys'] });
      onSaved(key);
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    saving.mutate();
  };
  const title = edited ? fill(text.editTitle, { name: edited.name }) : text.create;
  return (
    <Modal opened onClose={close} title={title} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TermFields terms={terms} change={(changed) => setTerms({ ...terms, ...changed })} />
          <DialogEnd
            acting={saving}
            label={edited ? texts.common.save : text.create}
            close={close}
          />
        </Stack>
      </form>
    </Modal>
  );
}

interface TermFieldsProps {
  terms: FormTerms;
  change: (changed: Partial<FormTerms>) => void;
}

function TermFields({ terms, change }: TermFieldsProps) {
  return (
    <>
      <TextInput
        label={text.name}
        description={text.nameHint}
        required
        maxLength={200}
        data-autofocus
        value={terms.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <Checkbox.Group
        label={text.scopes}
        value={terms.scopes}
        onChange={(chosen) => change({ scopes: chosen })}
        required
      >
        <Group mt={4}>
          {scopes.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Group>
      </Checkbox.Group>
      <TagsInput
        label={text.models}
        description={text.modelsHint}
        value={terms.models}
        onChange={(models) => change({ models })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {limits.map((limit) => (
          <NumberInput
            key={limit}
            label={text[limit]}
            description={text.limitHint}
            min={limit.endsWith('Usd') ? 0 : 1}
            allowDecimal={limit.endsWith('Usd')}
            thousandSeparator=","
            value={terms[limit] ?? ''}
            onChange={(value) => change({ [limit]: typeof value === 'number' ? value : null })}
          />
        ))}
      </SimpleGrid>
      <TextInput
        label={text.expiry}
        description={text.expiryHint}
        type="date"
        value={terms.expiresOn}
        onChange={({ currentTarget }) => change({ expiresOn: currentTarget.value })}
      />
    </>
  );
}
