import type { NewProducer } from '../accounts/producer-contract.ts';

export const demoProducers = {
  aurora: {
    name: 'Aurora Produções',
    description:
      'Produzimos shows, teatro, festivais e esporte desde 2009, de Porto Velho a Curitiba. Somos vinte e duas pessoas, um caminhão e uma lista de espera para o Festival Aurora.\n\nDúvidas sobre um ingresso? Escreva para ingressos@aurora.example.com.',
    links: [
      { kind: 'website', url: 'https://aurora.example.com' },
      { kind: 'instagram', url: 'https://www.instagram.com/auroraproducoes.example' },
      { kind: 'youtube', url: 'https://www.youtube.com/@auroraproducoes.example' },
    ],
  },
  mare: {
    name: 'Maré Eventos',
    currency: 'EUR',
    description: 'Small concerts and conferences by the water, in Lisbon, Porto and wherever our musicians take us.',
    links: [
      { kind: 'website', url: 'https://mare.example.com' },
      { kind: 'instagram', url: 'https://www.instagram.com/mare.eventos.example' },
    ],
  },
} satisfies Record<string, Omit<NewProducer, 'owner'>>;
