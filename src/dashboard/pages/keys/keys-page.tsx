import { Button } from '@mantine/core';
import { useState } from 'react';
import { Page } from '../../components/page.js';
import { texts } from '../../texts/texts.js';
import { CreatedKey } from './created-key.js';
import { KeyForm } from './key-form.js';
import { KeyList } from './key-list.js';
import { KeyUsage } from './key-usage.js';
import type { ApiKey } from './key-terms.js';

const text = texts.keys;

/** The page `/keys`: the account's API keys, and what was used with each. */
export default function KeysPage() {
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<ApiKey | null>(null);
  const create = <Button onClick={() => setCreating(true)}>{text.create}</Button>;
  return (
    <Page title={text.title} lead={text.lead} actions={create}>
      <KeyList create={create} onNewSecret={setMade} />
      <KeyUsage />
      {isCreating ? (
        <KeyForm
          edited={null}
          close={() => setCreating(false)}
          onSaved={(key) => {
            setCreating(false);
            setMade(key);
          }}
        />
      ) : null}
      {made ? <CreatedKey made={made} close={() => setMade(null)} /> : null}
    </Page>
  );
}
