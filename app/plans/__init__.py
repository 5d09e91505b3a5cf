"""Which index serves each published query: documents for `pressbox query-plans`, away from the
queries themselves.
"""
