// SPDX-License-Identifier: Apache-2.0
#include "collect/operator_name.h"
#include "unit.h"

static void check(const char *name, const char *expected)
{
    struct text text = {0};
    bool is_one = operator_name(&text, name);
    assert_int_equal(is_one, expected != NULL);
    if (expected) {
        assert_string_equal(text.data, expected);
    }
    text_clear(&text);
}

static void operators_are_named_as_a_person_does(void **state)
{
    (void)state;
    check("at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", "at::mm");
    check("at::_ops::addmm::redispatch(c10::DispatchKeySet, at::Tensor const&)", "at::addmm");
    check("at::native::(anonymous namespace)::add_kernel(at::TensorIteratorBase&, c10::Scalar "
          "const&)",
          "at::native::add_kernel");
    check("void at::native::(anonymous namespace)::VectorizedLoop2d<at::native::(anonymous "
          "namespace)::sigmoid_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::"
          "{lambda(float)#1}>::operator()(char**, long const*, long, long)",
          "at::native::VectorizedLoop2d");
    check("at::native::AVX2::mul_kernel(at::TensorIteratorBase&)::{lambda()#1}::operator()() const",
          "at::native::AVX2::mul_kernel");
    check("c10::impl::wrap_kernel_functor_unboxed_<c10::impl::detail::WrapFunctionIntoFunctor_<int>"
          " >::call(long)",
          "c10::dispatch");
    check("xla::cpu::(anonymous namespace)::DotThunk::Execute(int)::{lambda(int)#2}",
          "xla::cpu::DotThunk::Execute");
    check("tensorflow::MatMulOp<Eigen::ThreadPoolDevice, "
          "float>::Compute(tensorflow::OpKernelContext*)",
          "tensorflow::MatMulOp::Compute");
}

// As jaxlib has them.
static void what_operators_are_made_of_is_as_short(void **state)
{
    (void)state;
    check("void std::__stable_sort_adaptive<xla::cpu::internal::(anonymous "
          "namespace)::SortIterator<xla::cpu::Value<1ul> >, long>(int)",
          "std::__stable_sort_adaptive");
    check("xla::cpu::Value<1ul>* std::__move_merge<xla::cpu::SortIterator>(int)",
          "std::__move_merge");
    check("std::vector<at::Tensor>::push_back(at::Tensor const&)", "std::vector::push_back");
    check("std::_Function_handler<void (), xla::cpu::SortThunk::Execute(xla::cpu::Thunk::"
          "ExecuteParams const&)::$_4>::_M_invoke(std::_Any_data const&)",
          "std::invoke");
    check("bool absl::lts_20260526::internal_any_invocable::LocalInvoker<false, bool, "
          "xla::cpu::SortThunk>(int)",
          "std::invoke");
    check("absl::lts_20260526::Mutex::UnlockSlow(absl::lts_20260526::SynchWaitParams*)",
          "absl::Mutex::UnlockSlow");
    check("xla::cpu::YnnFusionThunk::Execute(int)::$_0", "xla::cpu::YnnFusionThunk::Execute");
    check("tsl::AsyncValue::MakeTypeInfo(int)::{lambda(int)#1}::__invoke(int)",
          "tsl::AsyncValue::MakeTypeInfo");
    check("tsl::profiler::TraceContainerToJson[abi:cxx11](int)",
          "tsl::profiler::TraceContainerToJson");
    check("decltype(auto) llvm::orc::ThreadSafeContext::withContextDo<int>(int)",
          "llvm::orc::ThreadSafeContext::withContextDo");
}

static void other_names_are_left_alone(void **state)
{
    (void)state;
    check("std::vector<int>::push_back(int const&)", NULL);
    check("std::vector<format::Item>::push_back(int const&)", NULL);
    check("PyObject_Call", NULL);
    check("attach(int)", NULL);
    check("", NULL);
    check("<<<(((", NULL);
    check("operator", NULL);
    assert_true(operator_name_is("at::mm") && !operator_name_is("mm"));
    assert_true(operator_name_is("std::__sort") && !operator_name_is("std::__sort<int>(int)"));
    assert_true(operator_name_is_step("c10::dispatch") && operator_name_is_step("std::invoke"));
    assert_true(!operator_name_is_step("at::mm"));
    assert_true(operator_name_is_unnamed("libtorch_cpu.so.1.13.0+0x118f4a0"));
    assert_false(operator_name_is_unnamed("libtorch_cpu.so"));
    assert_false(operator_name_is_unnamed("libm.so.6+0x1230"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_named_as_a_person_does),
        cmocka_unit_test(what_operators_are_made_of_is_as_short),
        cmocka_unit_test(other_names_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
