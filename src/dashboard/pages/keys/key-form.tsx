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
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { api, dataOf } from '../../api/client.js';
import { DialogEnd } from '../../components/dialog.js';
import { fill, texts } from '../../texts/texts.js';
import { type ApiKey, emptyTerms, type FormTerms, formTermsOf, requestOf } from './key-terms.js';
import { limitNames } from '../../format/limits.js';
import { optionsOf } from '../../components/elements.js';

const text = texts.keys;

const scopes = optionsOf({
  completions: text.scopeCompletions,
  'model-select': text.scopeModelSelect,
  admin: text.scopeAdmin,
});

interface KeyFormProps {
  /** The key that is changed; null: a new one is made. */
  edited: ApiKey | null;
  close: () => void;
  onSaved: (key: ApiKey) => void;
}

function save(edited: ApiKey | null, terms: FormTerms): Promise<ApiKey> {
  const body = requestOf(terms);
  return edited === null
    ? dataOf(api.POST('/api/v1/keys', { body }))
    : dataOf(api.PATCH('/api/v1/keys/{id}', { params: { path: { id: edited.id } }, body }));
}

/** The form of a new key, or of a key's terms. */
export function KeyForm({ edited, close, onSaved }: KeyFormProps) {
  const [terms, setTerms] = useState<FormTerms>(edited ? formTermsOf(edited) : emptyTerms);
  const saving = useMutation({
    mutationFn: () => save(edited, terms),
    onSuccess: onSaved,
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
          <DialogEnd acting={saving} label={edited ? undefined : text.create} close={close} />
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
        {limitNames.map((limit) => (
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
