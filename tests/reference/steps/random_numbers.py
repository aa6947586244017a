"""leeway/core/random.h once more: Philox4x32-10 keyed by seed, stream and sample; and draws of a symmetric beta distribution."""
from scipy.special import betaincinv

WORD = 2 ** 32


def stream(purpose):
    value = 2166136261
    for byte in purpose.encode():
        value = (value ^ byte) * 16777619 % WORD
    return value


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [second // WORD ^ c[1] ^ k[0], second % WORD, first // WORD ^ c[3] ^ k[1], first % WORD]
        k = [(k[0] + 0x9E3779B9) % WORD, (k[1] + 0xBB67AE85) % WORD]
    return c


class Random:
    def __init__(self, seed, purpose, sample=0):
        self.key, self.counter, self.words = (seed % WORD, seed // WORD), [0, stream(purpose), sample % WORD, sample // WORD], []

    def bits(self):
        if not self.words:
            self.words = philox(self.counter, self.key)
            self.counter[0] += 1
        return self.words.pop(0)

    def uniform(self):
        high = self.bits()
        return ((high * WORD + self.bits() >> 12) + .5) * 2. ** -52

    def below(self, m):
        product = self.bits() * m
        while product % WORD < WORD % m:
            product = self.bits() * m
        return product // WORD

    def shuffled(self, m):
        order = list(range(m))
        for i in range(m, 1, -1):
            j = self.below(i)
            order[i - 1], order[j] = order[j], order[i - 1]
        return order

    def beta(self, a):
        return float(betaincinv(a, a, self.uniform()))
